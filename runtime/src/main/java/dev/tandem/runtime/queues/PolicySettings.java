package dev.tandem.runtime.queues;

import dev.tandem.api.RetryPolicy;
import dev.tandem.executor.BreakerPolicy;
import dev.tandem.executor.UnhandledPolicy;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.BackoffSettings;
import dev.tandem.runtime.settings.QueueSettings.BreakerSettings;
import dev.tandem.runtime.settings.QueueSettings.HandlersMismatch;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.settings.TandemSettings.Durability;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.QueuePolicy;

/** Translates settings to the policies of the executor and the core. */
public final class PolicySettings {

    private PolicySettings() {}

    /** Returns the order, concurrency and bounds of a queue. */
    public static QueuePolicy queue(QueueSettings queue) {
        QueuePolicy policy = queue.ordered()
                ? QueuePolicy.ordered(queue.concurrency()).withDeadHead(queue.effectiveDeadHead())
                : QueuePolicy.unordered(queue.concurrency());
        return policy.withMemory(queue.maxInMemory(), queue.maxInMemoryBytes().toBytes())
                .withParked(queue.effectiveMaxParkedPerKey(), queue.maxParked())
                .withMaxBlockedKeys(queue.maxBlockedKeys());
    }

    static CustodyBounds custody(QueueSettings queue) {
        return new CustodyBounds(queue.maxInRedis(), queue.maxInRedisBytes().toBytes());
    }

    static BreakerPolicy breaker(BreakerSettings breaker) {
        return new BreakerPolicy(breaker.enabled(), breaker.failures(), breaker.attempts(), breaker.window());
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
