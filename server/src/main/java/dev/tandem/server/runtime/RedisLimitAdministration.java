package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.RedisLimits;
import dev.tandem.server.inspect.LimitAdministration;
import dev.tandem.task.store.LimitRequest;

/** Changes limits in Redis on behalf of the API. */
final class RedisLimitAdministration implements LimitAdministration {

    private final RedisLimits limits;

    RedisLimitAdministration(RedisLimits limits) {
        this.limits = limits;
    }

    @Override
    public LimitRequest.Answer change(String limit, LimitRequest request) {
        return await(limits.change(limit, request));
    }
}
