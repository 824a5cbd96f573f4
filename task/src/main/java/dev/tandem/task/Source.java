package dev.tandem.task;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Port: the way in of one queue from its broker, in one process.
 *
 * <p>One thread, the queue's loop, calls every method, and receives every event inside {@link #poll}. Only
 * {@link #wakeup} may be called by any thread. So an implementation needs no locks around its consumer or channel.
 *
 * <p>A partition that was {@linkplain Events#assigned assigned} delivers nothing before {@link #open}. After
 * {@linkplain Events#revoked revoked} or {@linkplain Events#lost lost} has returned, calls for the partition are
 * ignored until it is assigned again.
 */
public interface Source extends AutoCloseable {

    /** How positions are given back to the broker. */
    enum Kind {
        /** A log: the settled prefix is committed (Kafka). */
        LOG,
        /** A message queue: each message is acked by itself (RabbitMQ). */
        QUEUE
    }

    Kind kind();

    /**
     * Returns all partitions that a process may own by a lease in the store, whoever owns them now. For brokers that
     * assign no partitions (RabbitMQ): the engine then assigns those that it should own, without {@link
     * Events#assigned}. Empty if the broker assigns partitions, and while the broker cannot be reached: this process
     * should then own none, and must not count as a live executor of the queue.
     */
    default Collection<Partition> leasable() {
        return List.of();
    }

    /**
     * Returns all partitions of the queue that the broker has, whoever owns them now. Empty while that is not known. Never
     * waits for the broker.
     */
    default Collection<Partition> partitions() {
        return leasable();
    }

    /** Returns the facts of every {@link #leasable} partition. */
    default Facts leaseFacts() {
        return Facts.NONE;
    }

    /**
     * Returns for how long a delivery may stay unacked. Then the source gives its whole partition back to the broker, to be
     * delivered again, before the broker would do so by itself. {@link Long#MAX_VALUE} if there is no such limit.
     */
    default long maxUnackedMillis() {
        return Long.MAX_VALUE;
    }

    /**
     * Waits for the broker, up to {@code maxMillis} (0: does not wait) or until {@link #wakeup}, and passes the events
     * to {@code events} on this thread. Returns at once after an earlier wake-up that no poll has seen. Reconnects by
     * itself to a broker that cannot be reached.
     */
    void poll(long maxMillis, Events events);

    /**
     * Says whether this process should have no partitions for now, because it cannot reach the store. For brokers that
     * assign partitions (Kafka): while {@code resting} is true, later polls leave the consumer group, if others are in
     * it, and do not join it. What is given up is reported by {@link Events#revoked} or {@link Events#lost}. Called
     * before the first poll, or between polls. Otherwise does nothing: the engine shares the partitions out by itself.
     */
    default void rest(boolean resting) {}

    /** Makes a waiting {@link #poll}, or the next one, return. May be called by any thread, and often. */
    void wakeup();

    /**
     * Starts deliveries from the committed offset, or from the queue's head. Called when the store has granted the
     * ownership.
     */
    void open(Partition partition);

    /** Stops deliveries after those that were passed on already. The assignment stays. */
    void pause(Partition partition);

    void resume(Partition partition);

    /**
     * Goes back to the committed offset (RabbitMQ: opens a new channel), so that all unsettled messages are
     * redelivered.
     */
    void rewind(Partition partition);

    /**
     * The store durably knows of all cuts that were reported of a log ({@link Events#cut}), so that the next owner need not
     * notice them again. Until this is called, nothing from the cut on is committed. Logs only.
     */
    default void cutRecorded(Partition partition) {}

    /**
     * Reads records of a log again, beside the deliveries and without holding them up. Answered by {@link Events#recalled}
     * or {@link Events#recallFailed}. Only one recall of a partition is made at a time. Logs only.
     *
     * @throws UnsupportedOperationException if the source is no log
     */
    default void recall(Partition partition, Recall recall) {
        throw new UnsupportedOperationException("A message queue keeps what it has not delivered");
    }

    /**
     * Returns how long the broker keeps a record of a log, in milliseconds; {@link Long#MAX_VALUE} if for ever, or if it is
     * not known (yet).
     */
    default long retentionMillis() {
        return Long.MAX_VALUE;
    }

    /**
     * Returns what is to be known when the log gets more partitions. Null if keys do not move with their count, or nobody is to
     * wait for tasks in earlier partitions.
     */
    default @Nullable Growing growing() {
        return null;
    }

    /** Commits the prefix of a log below {@code upTo}. Answered by {@link Events#committed}. */
    void commit(Partition partition, long upTo);

    /** Acks messages of a message queue by their {@link Delivery#sequence()}. */
    void ack(Partition partition, Collection<Long> sequences);

    /**
     * Asks the broker whether this process still has the partition, by a round trip that the broker fences (Kafka: a
     * commit of the unchanged offset; RabbitMQ: a passive declare on the consuming channel). Answered by
     * {@link Events#confirmed} or {@link Events#lost}.
     */
    void confirm(Partition partition);

    /**
     * Ends deliveries of a partition that this process has given up. Messages that were not acked go back to the broker
     * (RabbitMQ: its channel is closed after the last acks).
     */
    void close(Partition partition);

    @Override
    void close();

    /** The events that a source passes to its queue's loop. */
    interface Events {

        /**
         * The broker assigned the partition. {@link Source#open} follows when the store has granted the ownership.
         */
        void assigned(Partition partition, Facts facts);

        /**
         * Messages arrived, in the broker's order.
         *
         * @param nextSequence the offset behind the messages of a log, where the prefix ends when all of them are
         *     settled. The list may be empty, after records that are never delivered (aborted, compacted, markers).
         */
        void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence);

        /**
         * Records were read again.
         *
         * @param id the number of the {@link Recall}
         * @param next the offset up to which everything was read
         */
        default void recalled(Partition partition, long id, Collection<Delivery> deliveries, long next) {}

        /**
         * A recall found that all records below {@code logStart} were deleted, whether they were settled or not. {@link
         * #recalled} follows.
         *
         * @param id the number of the {@link Recall}
         */
        default void deleted(Partition partition, long id, long logStart) {}

        /**
         * The log may have got more partitions than the source knows of: records that are delivered next are not where their keys
         * belong. Logs only.
         */
        default void mayHaveGrown() {}

        /** Records could not be read again. It may be tried again. */
        default void recallFailed(Partition partition, long id, String why) {}

        /** The broker has confirmed the commit of all offsets below {@code upTo}. Logs only. */
        void committed(Partition partition, long upTo);

        /** A commit failed, and may be tried again. Logs only. */
        void commitFailed(Partition partition, String why);

        /**
         * The partition of a message queue is caught up: all messages that its earlier owners left unacked have been
         * delivered since {@link Source#open} or {@link Source#rewind}. A position that was not among them is settled,
         * or gone for good.
         */
        default void caughtUp(Partition partition) {}

        /**
         * A log may have been cut: from this offset on, its records are perhaps not those that were delivered before,
         * here or elsewhere. Reported before records that only this says something new about. Logs only.
         *
         * @return whether something known is void: then {@link Source#rewind} follows, and what is delivered before
         *     does not count. If the partition is being given up, nothing is delivered any more, and no rewind follows
         */
        default boolean cut(Partition partition, long offset) {
            return false;
        }

        /** The broker has confirmed that this process has the partition. */
        void confirmed(Partition partition, Facts facts);

        /** The partitions must be given up: they are when this returns. */
        void revoked(Collection<Partition> partitions);

        /** The broker has given the partitions to others already. Nothing may be committed or started any more. */
        void lost(Collection<Partition> partitions);
    }

    /**
     * The broker's knowledge of a partition at one moment.
     *
     * @param generation Kafka: the group's generation; else {@link #NO_GENERATION}
     * @param sourceId tells sources apart, for the store. Kafka: the topic's id, which changes if the topic is created
     *     again. RabbitMQ: virtual host and queue. Empty if it is not known
     * @param committed Kafka: the committed offset, below which all is settled. {@link #NO_OFFSET} if none was
     *     committed yet, or the broker has forgotten it: then reading begins at the start of the log
     * @param logStart Kafka: the first offset that still exists; else {@link #NO_OFFSET}
     * @param logEnd Kafka, in answer to {@link #confirm}: the offset of the next record that is published. It was looked up
     *     after the question. Else {@link #NO_OFFSET}
     * @param lostFrom Kafka, when the partition is assigned: records from this offset on that this process had in an earlier
     *     assignment are gone, since the log was cut meanwhile. {@link #NO_OFFSET} if nothing says so
     */
    record Facts(long generation, String sourceId, long committed, long logStart, long logEnd, long lostFrom) {
        public static final long NO_GENERATION = -1;
        public static final long NO_OFFSET = -1;

        /** The facts of a message queue's partition whose source has no id. */
        public static final Facts NONE = ofQueue("");

        public Facts(long generation, String sourceId, long committed, long logStart) {
            this(generation, sourceId, committed, logStart, NO_OFFSET, NO_OFFSET);
        }

        /** Returns the same facts and where the log ends. */
        public Facts withLogEnd(long end) {
            return new Facts(generation, sourceId, committed, logStart, end, lostFrom);
        }

        /** Returns the same facts and from where on former records are gone. */
        public Facts withLostFrom(long offset) {
            return new Facts(generation, sourceId, committed, logStart, logEnd, offset);
        }

        /** Returns the facts of a message queue's partition. */
        public static Facts ofQueue(String sourceId) {
            return new Facts(NO_GENERATION, sourceId, NO_OFFSET, NO_OFFSET);
        }
    }

    /** What is to be known of a log when it gets more partitions, so that keys move. */
    interface Growing {

        /** Returns for how long after a change its publishers may use the earlier count, in milliseconds; more than 0. */
        long windowMillis();

        /**
         * Asks the broker how many partitions the log has now. Called on the loop's thread.
         *
         * @param withEnds whether to look up their ends too
         * @return completes on any thread. Fails if the broker does not answer, or was never reached
         */
        CompletionStage<LogEnds> lookUp(boolean withEnds);

        /** Returns the partition that publishers choose for a key if there are so many. May be called by any thread. */
        int placement(String key, int partitions);
    }
}
