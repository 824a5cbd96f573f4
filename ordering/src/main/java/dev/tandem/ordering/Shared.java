package dev.tandem.ordering;

import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the partitions of one queue share: settings, slots and the time of the turn. */
final class Shared {

    final Source.Kind kind;
    final QueuePolicy policy;
    final CoreSettings settings;
    final String executor;
    final Slots slots;
    /** An unordered queue's; null for any other. */
    final @Nullable Recalls recalls;
    /** Runs to be started at the end of the turn. */
    final List<Run> starts = new ArrayList<>();

    private final Set<Rule> broken;
    long now;
    long wall;

    Shared(Source.Kind kind, QueuePolicy policy, CoreSettings settings, String executor, Set<Rule> broken) {
        this.kind = kind;
        this.policy = policy;
        this.settings = settings;
        this.executor = executor;
        this.broken = broken;
        this.slots = new Slots(policy.concurrency());
        boolean scattered = kind == Source.Kind.QUEUE && !policy.ordered() && keeps(Rule.RECALL);
        this.recalls = scattered ? new Recalls(this) : null;
    }

    boolean keeps(Rule rule) {
        return !broken.contains(rule);
    }
}
