package dev.tandem.ordering;

import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the partitions of one queue share: settings, slots and the time of the turn. */
final class QueueContext {

    final Source.Kind kind;
    final QueuePolicy policy;
    final CoreSettings settings;
    final String executor;
    final WorkerSlots slots;
    /** An unordered queue's; null for any other. */
    final @Nullable RedeliveryResolver recalls;
    /** Runs to be started at the end of the turn. */
    final List<Run> starts = new ArrayList<>();

    long now;
    long wall;

    QueueContext(Source.Kind kind, QueuePolicy policy, CoreSettings settings, String executor) {
        this.kind = kind;
        this.policy = policy;
        this.settings = settings;
        this.executor = executor;
        this.slots = new WorkerSlots(policy.concurrency());
        boolean scattered = kind == Source.Kind.QUEUE && !policy.ordered();
        this.recalls = scattered ? new RedeliveryResolver(this) : null;
    }
}
