package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import org.jspecify.annotations.Nullable;

/** Something that an operator may want to see in the log. The core decides nothing by it. */
public sealed interface CoreEvent {

    Partition partition();

    /**
     * The store made this process the owner.
     *
     * @param epoch of this ownership
     * @param otherClaims live claims of other executors, whose keys wait for them
     * @param blockedKeys keys whose tasks are parked behind a head
     */
    record Acquired(Partition partition, long epoch, int otherClaims, long blockedKeys) implements CoreEvent {}

    /** The partition was given up in good order: the store released the lease. */
    record Released(Partition partition, long epoch) implements CoreEvent {}

    /** The store refused a request, because another process has owned the partition since. */
    record Fenced(Partition partition, long epoch) implements CoreEvent {}

    /** The partition is not ours any more, without a release: the broker gave it away, or the store was out of reach. */
    record Lost(Partition partition, long epoch) implements CoreEvent {}

    /**
     * The store refused the ownership, because an owner whose lease lives reads another source.
     *
     * @param owner the other executor
     * @param otherSource the id of its source
     * @param ownSource the id of this process's source
     */
    record OwnedByOtherSource(Partition partition, String owner, String otherSource, String ownSource)
            implements CoreEvent {}

    /**
     * The tasks of a key must wait for a head. Keys that were blocked when the partition was acquired are only counted in
     * {@link Acquired}.
     *
     * @param reason null where the store gave none
     */
    record KeyBlocked(
            Partition partition, String key, @Nullable BlockReason reason, Position head) implements CoreEvent {}

    /**
     * The store has taken an unreadable message as a dead task. No key is halted: it has none that could be read, or the
     * queue has no order.
     *
     * @param id of the task; null if its publisher gave none that could be read
     * @param reason why the message is unreadable
     */
    record Buried(
            Partition partition,
            Position position,
            @Nullable String id,
            String reason) implements CoreEvent {}

    /**
     * The store has recorded that a dead task halts its key: no task of the key starts until an operator decides.
     *
     * @param envelope the dead task with its error, as the store keeps it
     */
    record KeyHalted(Partition partition, String key, Position head, byte[] envelope) implements CoreEvent {}

    /** The limit of blocked keys, {@code QueuePolicy.maxBlockedKeys}, is reached: no task of a further key is started. */
    record TooManyBlockedKeys(Partition partition, long blockedKeys) implements CoreEvent {}

    /** The tasks of a key may start again. */
    record KeyOpened(Partition partition, String key) implements CoreEvent {}
}
