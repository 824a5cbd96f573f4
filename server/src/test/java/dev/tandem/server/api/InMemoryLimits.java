package dev.tandem.server.api;

import dev.tandem.server.inspect.LimitAdministration;
import dev.tandem.task.store.LimitKind;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateView;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Changes the limits of an in-memory platform. The time of each change is that of the tests. */
final class InMemoryLimits implements LimitAdministration {

    /** The last revision of all. */
    private static final AtomicLong REVISION = new AtomicLong(1_000);

    /** Run once before the next change: what another operator does at the same time. */
    static final AtomicReference<@Nullable Runnable> BEFORE_NEXT = new AtomicReference<>();

    private final InMemoryPlatform platform;
    /** The last revision by kind and name: what a reset leaves. */
    private final Map<String, String> resets = new HashMap<>();

    InMemoryLimits(InMemoryPlatform platform) {
        this.platform = platform;
    }

    @Override
    public synchronized LimitRequest.Answer change(String limit, LimitRequest request) {
        platform.check();
        Runnable other = BEFORE_NEXT.getAndSet(null);
        if (other != null) {
            other.run();
        }
        LimitOverride before = find(limit, request.kind());
        String place = request.kind() + limit;
        String now = before == null ? resets.getOrDefault(place, LimitOverride.NO_REVISION) : before.revision();
        boolean isUnset = before == null && LimitOverride.NO_REVISION.equals(request.seen());
        if (request.seen() != null && !request.seen().equals(now) && !isUnset) {
            return new LimitRequest.Answer(false, before, now);
        }
        if (before == null && request.numbers() == null) {
            return new LimitRequest.Answer(true, null, now);
        }
        String next = String.valueOf(REVISION.incrementAndGet());
        resets.put(place, next);
        if (request.kind() == LimitKind.PERMITS) {
            LimitRequest.Permits wanted = (LimitRequest.Permits) request.numbers();
            put(limit, wanted == null ? null : new LimitOverride.OfPermits(wanted.max(), request.by(), now(), next));
        } else {
            LimitRequest.Rate wanted = (LimitRequest.Rate) request.numbers();
            put(
                    limit,
                    wanted == null
                            ? null
                            : new LimitOverride.OfRate(
                                    wanted.intervalMicros(), wanted.burst(), request.by(), now(), next));
        }
        return new LimitRequest.Answer(true, before, next);
    }

    private @Nullable LimitOverride find(String limit, LimitKind kind) {
        return kind == LimitKind.PERMITS
                ? platform.limits.get(limit).override()
                : platform.rateLimits.get(limit).override();
    }

    private static long now() {
        return ApiTestBase.NOW_MINUTE * 60_000;
    }

    private void put(String limit, LimitOverride.@Nullable OfPermits override) {
        PermitView before = platform.limits.get(limit);
        platform.limits.put(limit, new PermitView(limit, before.configured(), override, before.holders()));
    }

    private void put(String limit, LimitOverride.@Nullable OfRate override) {
        RateView before = platform.rateLimits.get(limit);
        platform.rateLimits.put(
                limit, new RateView(limit, before.info(), override, before.used(), before.paused(), before.buckets()));
    }
}
