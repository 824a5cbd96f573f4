package dev.tandem.scheduler;

import dev.tandem.task.store.LimitChangesConformance;
import dev.tandem.task.store.LimitKind;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.RateView;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Runs the rules of changes of limits against the scripts. */
@TestInstance(Lifecycle.PER_CLASS)
class LimitChangesConformanceIT extends LimitChangesConformance {

    private RedisStore store;

    @BeforeAll
    void start() {
        store = RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
    }

    @AfterAll
    void stop() {
        if (store != null) {
            store.close();
        }
    }

    @Override
    protected String freshLimit() {
        return UniqueNames.fresh("limit");
    }

    @Override
    protected LimitRequest.Answer change(String limit, LimitRequest request) {
        return store.limits().change(limit, request).join();
    }

    @Override
    protected @Nullable LimitOverride override(String limit, LimitKind kind) {
        return kind == LimitKind.PERMITS
                ? store.limits().show(limit).join().override()
                : store.limits()
                        .showRate(limit, 1)
                        .join()
                        .map(RateView::override)
                        .orElse(null);
    }
}
