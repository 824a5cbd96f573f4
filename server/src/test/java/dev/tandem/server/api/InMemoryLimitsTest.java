package dev.tandem.server.api;

import dev.tandem.task.store.LimitChangesConformance;
import dev.tandem.task.store.LimitKind;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the rules of changes of limits against the limits that the tests of the API have in place of those in Redis. */
class InMemoryLimitsTest extends LimitChangesConformance {

    private final InMemoryPlatform platform = new InMemoryPlatform();
    private final InMemoryLimits limits = new InMemoryLimits(platform);

    @Override
    protected String freshLimit() {
        String limit = "limit-" + platform.limits.size();
        platform.limits.put(limit, new PermitView(limit, 50, null, List.of()));
        platform.rateLimits.put(limit, new RateView(new RateInfo(limit, 12_000_000, 3, null), null, 0, 0, List.of()));
        return limit;
    }

    @Override
    protected LimitRequest.Answer change(String limit, LimitRequest request) {
        return limits.change(limit, request);
    }

    @Override
    protected @Nullable LimitOverride override(String limit, LimitKind kind) {
        return kind == LimitKind.PERMITS
                ? platform.limits.get(limit).override()
                : platform.rateLimits.get(limit).override();
    }
}
