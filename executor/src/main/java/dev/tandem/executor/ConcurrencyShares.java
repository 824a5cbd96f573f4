package dev.tandem.executor;

import dev.tandem.task.QueuePolicy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says which part of an executor's concurrency its queues have. Queues whose tasks are pulled need none of it, since their tasks
 * run elsewhere.
 */
final class ConcurrencyShares {

    /** Has the name of the class whose setting it is. */
    private static final Logger log = LoggerFactory.getLogger(Executor.class);

    private final List<QueueSpec> queues;
    private final int concurrency;

    ConcurrencyShares(List<QueueSpec> queues, int concurrency) {
        this.queues = queues;
        this.concurrency = concurrency;
    }

    private boolean sharesSlots() {
        return queues.stream().anyMatch(spec -> spec.policy().starts().sharesSlots());
    }

    /** Returns what divides the slots; null if each queue has its own. */
    @Nullable
    SlotShares slots() {
        return sharesSlots() ? new SlotShares(concurrency) : null;
    }

    /** Returns the queues with their concurrencies reduced so that they fit into the executor's, unless they share that. */
    List<QueueSpec> queues() {
        long requested = queues.stream()
                .filter(spec -> !spec.isPulled())
                .mapToLong(spec -> spec.policy().concurrency())
                .sum();
        if (requested <= concurrency || sharesSlots()) {
            return queues;
        }
        List<QueueSpec> fitted = new ArrayList<>();
        for (QueueSpec spec : queues) {
            fitted.add(spec.isPulled() ? spec : fitted(spec, requested));
        }
        return fitted;
    }

    private QueueSpec fitted(QueueSpec spec, long requested) {
        QueuePolicy policy = spec.policy();
        int share = (int) Math.max(1, (long) policy.concurrency() * concurrency / requested);
        log.info(
                "Queue {}: concurrency is {} instead of {}, because all queues together request {} and"
                        + " executor.concurrency is {}",
                spec.name(),
                share,
                policy.concurrency(),
                requested,
                concurrency);
        return spec.withConcurrency(share);
    }
}
