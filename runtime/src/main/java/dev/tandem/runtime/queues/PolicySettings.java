package dev.tandem.runtime.queues;

import dev.tandem.api.RetryPolicy;
import dev.tandem.executor.BreakerPolicy;
import dev.tandem.executor.UnhandledPolicy;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.BackoffSettings;
import dev.tandem.runtime.settings.QueueSettings.BreakerSettings;
import dev.tandem.runtime.settings.QueueSettings.DedupSettings;
import dev.tandem.runtime.settings.QueueSettings.DedupSettings.Until;
import dev.tandem.runtime.settings.QueueSettings.DependencySettings;
import dev.tandem.runtime.settings.QueueSettings.HandlersMismatch;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.settings.TandemSettings.Durability;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.StartPolicy;
import dev.tandem.task.store.DedupPolicy;
import dev.tandem.task.store.DependencyPolicy;
import dev.tandem.task.store.TaskRelations;

/** Translates settings to the policies of the executor and the core. */
public final class PolicySettings {

    private PolicySettings() {}

    /** Returns the order, concurrency and bounds of a queue. */
    public static QueuePolicy queue(QueueSettings queue) {
        QueuePolicy policy = queue.ordered()
                ? QueuePolicy.ordered(queue.effectiveConcurrency()).withDeadHead(queue.effectiveDeadHead())
                : QueuePolicy.unordered(queue.effectiveConcurrency());
        return policy.withMemory(maxInMemory(queue), queue.maxInMemoryBytes().toBytes())
                .withParked(queue.effectiveMaxParkedPerKey(), queue.maxParked())
                .withMaxBlockedKeys(queue.maxBlockedKeys())
                .withTtl(queue.ttl() == null ? 0 : queue.ttl().toMillis())
                .withStarts(new StartPolicy(
                        queue.weight() == null ? StartPolicy.NO_WEIGHT : queue.weight(),
                        queue.precedence(),
                        queue.fair().policy()));
    }

    /** Where tenants have shares of memory, that is no more than the broker delivers. */
    private static int maxInMemory(QueueSettings queue) {
        boolean isFairQueue = queue.fair().policy() != null && queue.effectiveSource() == SourceType.RABBIT;
        return isFairQueue ? Math.min(queue.maxInMemory(), queue.effectivePrefetch()) : queue.maxInMemory();
    }

    static CustodyBounds custody(QueueSettings queue) {
        return new CustodyBounds(queue.maxInRedis(), queue.maxInRedisBytes().toBytes());
    }

    static BreakerPolicy breaker(BreakerSettings breaker) {
        return new BreakerPolicy(breaker.enabled(), breaker.failures(), breaker.attempts(), breaker.window());
    }

    static TaskRelations relations(QueueSettings queue) {
        DependencySettings its = queue.dependencies();
        return new TaskRelations(
                dedup(queue.dedup()).withKept(its.keep().toMillis()),
                new DependencyPolicy(
                        its.policy(), its.timeout().toMillis(), its.unknown() == DependencySettings.Unknown.DIE));
    }

    static DedupPolicy dedup(DedupSettings dedup) {
        return new DedupPolicy(
                dedup.mode(),
                dedup.until() == Until.DONE ? 0 : dedup.window().toMillis(),
                dedup.until() != Until.WINDOW,
                dedup.retention().toMillis(),
                dedup.releaseOnFailure(),
                dedup.lostAfter().toMillis());
    }

    static RetryPolicy retry(BackoffSettings backoff) {
        return switch (backoff.policy()) {
            case EXPONENTIAL ->
                RetryPolicy.exponential(backoff.initial(), backoff.multiplier(), backoff.max(), backoff.jitter());
            case FIXED -> RetryPolicy.fixed(backoff.initial());
            case SIDEKIQ -> RetryPolicy.sidekiq();
        };
    }

    static UnhandledPolicy unhandledPolicy(QueueSettings queue) {
        return new UnhandledPolicy(queue.unknownTypeGrace(), queue.handlersMismatch() == HandlersMismatch.REFUSE);
    }

    static CoreSettings core(TandemSettings settings) {
        long lease = settings.executor().lease().toMillis();
        long horizon = settings.redis().durability() == Durability.NONE
                ? 0
                : settings.redis().horizon().toMillis();
        return CoreSettings.builder().leaseMillis(lease).horizonMillis(horizon).build();
    }
}
