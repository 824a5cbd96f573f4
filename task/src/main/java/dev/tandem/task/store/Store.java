package dev.tandem.task.store;

import dev.tandem.task.Partition;

/** Port: what keeps custody. Implemented over Redis; a model of it serves the simulation. */
public interface Store extends AutoCloseable {

    /**
     * The way to one partition. Requests are sent in order on one connection; nothing is ever sent again by the store
     * itself.
     *
     * @param listener called on the store's own threads; it must only note what came and return
     */
    Link link(Partition partition, Listener listener);

    @Override
    void close();

    /** The way to one partition. {@link #send} comes from one thread. */
    interface Link extends AutoCloseable {

        /** Sends without waiting. After {@link Listener#down} requests are dropped until {@link Listener#up}. */
        void send(StoreRequest request);

        @Override
        void close();
    }

    /** Told of answers, in the order of the requests. */
    interface Listener {

        void answered(StoreRequest request, StoreAnswer answer);

        /** The connection broke or an answer is overdue: all that is unanswered may or may not have been applied. */
        void down(String reason);

        /** The store can be reached (again). Also the first event of a link. */
        void up();

        /** Another writer changed something that may be due now: an operator, or a former owner's outcome. */
        void woken();
    }
}
