package dev.tandem.task;

import java.util.Collection;
import java.util.List;

/**
 * Port: one queue's way in from its broker, in one process.
 *
 * <p>One thread, the queue's loop, calls every method and receives every event inside {@link #poll}; only
 * {@link #wakeup} may come from any thread. So an implementation needs no locks around its consumer or channel.
 *
 * <p>A partition that was {@linkplain Events#assigned assigned} delivers nothing until {@link #open}. After
 * {@linkplain Events#revoked revoked} or {@linkplain Events#lost lost} returned, calls for it are ignored until it is
 * assigned again.
 */
public interface Source extends AutoCloseable {

    /** How positions are given back to the broker. */
    enum Kind {
        /** A log: the settled prefix is committed (Kafka). */
        LOG,
        /** A queue: each message is acked by itself (RabbitMQ). */
        QUEUE
    }

    Kind kind();

    /**
     * The partitions that a process may own by a lease in the store, where the broker assigns none (RabbitMQ): all of
     * them, whoever owns them now. The engine assigns those that it should own, without {@link Events#assigned}. Empty
     * where the broker assigns, and while the broker can't be reached: then this process should own none and must not
     * count as a live executor of the queue.
     */
    default Collection<Partition> leasable() {
        return List.of();
    }

    /**
     * Waits for the broker, up to {@code maxMillis} (0: does not wait) or until {@link #wakeup}, and hands what came to
     * {@code events} on this thread. A wake-up that came before the call makes it return at once. A broker that can't
     * be reached is healed inside.
     */
    void poll(long maxMillis, Events events);

    /** Makes a waiting or the next {@link #poll} return. From any thread, cheap when called often. */
    void wakeup();

    /** Deliveries may start: the partition is ours in Redis too. From the committed offset, or the queue's head. */
    void open(Partition partition);

    /** Deliveries stop after those already handed over; the assignment stays. */
    void pause(Partition partition);

    void resume(Partition partition);

    /** Goes back to the committed offset (RabbitMQ: a new channel), so that all that is not settled comes again. */
    void rewind(Partition partition);

    /** Commits a log's prefix, {@code upTo} exclusive. Answered by {@link Events#committed}. */
    void commit(Partition partition, long upTo);

    /** Acks messages of a queue by their {@link Delivery#sequence()}. */
    void ack(Partition partition, Collection<Long> sequences);

    /**
     * A round trip that the broker fences (Kafka: a commit of the unchanged offset; RabbitMQ: a passive declare on the
     * consuming channel). Answered by {@link Events#confirmed}, or {@link Events#lost}.
     */
    void confirm(Partition partition);

    /**
     * The partition was given up by us: nothing of it is delivered any more, and what was not acked goes back to the
     * broker (RabbitMQ: by closing the channel, after the last acks).
     */
    void close(Partition partition);

    @Override
    void close();

    /** What a source tells its queue's loop. */
    interface Events {

        /** The broker assigned it; {@link Source#open} when it is ours in Redis too. */
        void assigned(Partition partition, Facts facts);

        /**
         * Messages in the broker's order.
         *
         * @param nextSequence a log's position behind them: the prefix ends there when all are settled. It may come
         *     with an empty list, after records that are never delivered (aborted, compacted, markers).
         */
        void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence);

        /** Up to {@code upTo} is committed for sure. */
        void committed(Partition partition, long upTo);

        /** A commit did not go through and may be tried again. */
        void commitFailed(Partition partition, String why);

        /**
         * A queue: whatever its earlier owners left unacked has been delivered since {@link Source#open} or {@link
         * Source#rewind}. A position that was not among that is settled, or gone for good.
         */
        default void caughtUp(Partition partition) {}

        /** The broker still holds us for the owner. */
        void confirmed(Partition partition, Facts facts);

        /** The partition is to be given up now: when this returns, it is. */
        void revoked(Collection<Partition> partitions);

        /** The partition was given to others already: no commit, no new start. */
        void lost(Collection<Partition> partitions);
    }

    /**
     * What the broker knows of a partition at this moment.
     *
     * @param generation Kafka: the group's generation; else -1
     * @param sourceId Kafka: the topic's id, which changes when it is created again; else ""
     * @param committed Kafka: the committed offset, up to which all is settled; -1: nothing is known of that (none was
     *     committed yet, or the broker forgot it), and reading starts at the log's start
     * @param logStart Kafka: the first offset that still exists; else -1
     */
    record Facts(long generation, String sourceId, long committed, long logStart) {
        public static final Facts NONE = new Facts(-1, "", -1, -1);
    }
}
