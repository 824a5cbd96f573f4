package dev.tandem.server.why;

import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Pauses;
import dev.tandem.task.store.HeldAnswer;
import org.jspecify.annotations.Nullable;

/** A copy of facts that is changed before it becomes facts again. */
final class FactsCopy {

    private final Facts from;
    boolean byTask;

    @Nullable
    TaskFacts task;

    @Nullable
    KeyInfo blocked;

    @Nullable
    TaskFacts head;

    HeldAnswer held;

    @Nullable
    PartitionOwner home;

    LimitNumbers limits;
    Pauses pauses;
    boolean pulled;

    FactsCopy(Facts from) {
        this.from = from;
        byTask = from.byTask();
        task = from.task();
        blocked = from.blocked();
        head = from.head();
        held = from.held();
        home = from.home();
        limits = from.limits();
        pauses = from.pauses();
        pulled = from.pulled();
    }

    Facts facts() {
        return new Facts(
                from.now(),
                from.key(),
                byTask,
                from.offset(),
                task,
                blocked,
                head,
                held,
                from.claimed(),
                limits,
                from.live(),
                home,
                pauses,
                from.inBroker(),
                from.brokerProblem(),
                from.lease(),
                pulled);
    }
}
