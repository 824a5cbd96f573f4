package dev.tandem.scheduler;

import static dev.tandem.task.store.LimitOverride.NO_REVISION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.store.LimitKind;
import dev.tandem.task.store.LimitNames;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.LimitRequest.Permits;
import dev.tandem.task.store.LimitRequest.Rate;
import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateRequest;
import dev.tandem.task.store.RateView;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Overrides of limits in Redis: what a reset leaves, and what people see of an override. {@link LimitChangesConformanceIT} tests
 * when a change is made.
 */
class LimitOverridesIT extends OperatorTestBase {

    private static final String ANNA = "anna";
    private static final double LONG_AGO = 1_000;

    private enum Kind {
        PERMITS,
        RATE;

        byte[] list(RedisKeys keys) {
            return this == PERMITS ? keys.limits() : keys.rates();
        }

        byte[] override(RedisKeys keys, String limit) {
            return this == PERMITS ? keys.limitOverride(limit) : keys.rateOverride(limit);
        }

        LimitRequest set() {
            return set(null);
        }

        LimitRequest set(@Nullable String seen) {
            return this == PERMITS
                    ? LimitRequest.set(new Permits(5), ANNA, seen)
                    : LimitRequest.set(new Rate(10_000, 4), ANNA, seen);
        }

        LimitRequest reset() {
            return this == PERMITS
                    ? LimitRequest.reset(LimitKind.PERMITS, null)
                    : LimitRequest.reset(LimitKind.RATE, null);
        }

        LimitNames names() {
            return names(store);
        }

        LimitNames names(RedisStore in) {
            return get(this == PERMITS ? in.limits().names() : in.limits().rateNames());
        }
    }

    private final String limit = UniqueNames.fresh("limit");

    private LimitRequest.Answer change(LimitRequest request) {
        return get(store.limits().change(limit, request));
    }

    @ParameterizedTest
    @EnumSource
    void aResetLeavesItsRevisionForADayAndNoOverride(Kind kind) {
        assertThat(change(kind.reset()).revision())
                .as("there was nothing to reset")
                .isEqualTo(NO_REVISION);
        change(kind.set());
        LimitRequest.Answer reset = change(kind.reset());
        byte[] key = kind.override(RedisKeys.DEFAULTS, limit);

        long millis = get(store.adminConnection().run(commands -> commands.pttl(key)));

        assertThat(millis).isBetween(1L, 24 * 3_600_000L);
        assertThat(kind.names().overridden()).doesNotContain(limit);
        assertThat(change(kind.reset()).revision()).as("nothing again").isEqualTo(reset.revision());
        assertThat(change(kind.set(NO_REVISION)).done())
                .as("it has no override")
                .isTrue();
        millis = get(store.adminConnection().run(commands -> commands.pttl(key)));
        assertThat(millis).as("an override stays").isEqualTo(-1);
    }

    /** As if the clock of Redis had been set back. */
    @Test
    void revisionsGrowThoughTheClockIsSetBack() {
        byte[] key = RedisKeys.DEFAULTS.limitOverride(limit);
        String future = "4000000000000000";
        change(LimitRequest.set(new Permits(5), ANNA, null));
        get(store.adminConnection().run(commands -> commands.hset(key, "revision".getBytes(), future.getBytes())));

        assertThat(change(LimitRequest.reset(LimitKind.PERMITS, future)).revision())
                .isEqualTo("4000000000000001");
        assertThat(change(LimitRequest.set(new Permits(5), ANNA, null)).revision())
                .isEqualTo("4000000000000002");
    }

    @Test
    void anOverrideIsListedAndShownThoughNobodyHasUsedTheLimitWithinADay() {
        list(Kind.PERMITS, LONG_AGO);
        list(Kind.RATE, LONG_AGO);
        change(LimitRequest.set(new Permits(5), ANNA, null));
        change(LimitRequest.set(new Rate(10_000, 4), ANNA, null));

        assertThat(Kind.PERMITS.names().overridden()).contains(limit);
        assertThat(Kind.RATE.names().overridden()).contains(limit);
        RateView view = get(store.limits().showRate(limit, 1)).orElseThrow();
        assertThat(view.info()).isNull();
        assertThat(view.name()).isEqualTo(limit);
        assertThat(view.burst()).isEqualTo(4);

        change(LimitRequest.reset(LimitKind.RATE, null));
        assertThat(Kind.RATE.names().others()).contains(limit);
        assertThat(listedSince(Kind.RATE)).as("it is listed for a day").isFinite();
    }

    /** A program of an earlier version overwrites the time at each use, or it was never infinite, or the one who set it was killed. */
    @ParameterizedTest
    @EnumSource
    void anOverrideIsListedWhateverTimeTheListHas(Kind kind) {
        change(kind.set());
        for (double since : List.of(LONG_AGO, (double) System.currentTimeMillis())) {
            list(kind, since);

            assertThat(kind.names().overridden()).as("since %s", since).contains(limit);
            assertThat(listedSince(kind)).isInfinite();
        }
    }

    /** A server of an earlier version has removed its name. */
    @ParameterizedTest
    @EnumSource
    void anOverrideThatIsNotListedIsListedOnceItIsShown(Kind kind) {
        change(kind.set());
        byte[] list = kind.list(RedisKeys.DEFAULTS);
        get(store.adminConnection().run(commands -> commands.zrem(list, limit.getBytes())));

        if (kind == Kind.PERMITS) {
            get(store.limits().show(limit));
        } else {
            get(store.limits().showRate(limit, 1));
        }

        await().atMost(Brokers.PATIENCE).until(() -> kind.names().overridden().contains(limit));
    }

    /** One sets a number, another one resets it, and the first lists the limit behind that. */
    @ParameterizedTest
    @EnumSource
    void aLimitIsNotListedForEverWithoutAnOverride(Kind kind) {
        list(kind, Double.POSITIVE_INFINITY);

        assertThat(kind.names().overridden()).doesNotContain(limit);

        assertThat(kind.names().others()).contains(limit);
        assertThat(listedSince(kind)).as("it is listed for a day").isFinite();
        list(kind, LONG_AGO);
        assertThat(kind.names().contains(limit)).isFalse();
    }

    /** The list is on another node, which may be away or have no memory left. */
    @ParameterizedTest
    @EnumSource
    void aChangeIsMadeAndAnsweredThoughItCannotBeListed(Kind kind) {
        RedisSettings settings = RedisSettings.of(Brokers.redis().uri()).withNamespace(UniqueNames.fresh("limits"));
        try (RedisStore other = RedisStore.open(settings)) {
            byte[] list = kind.list(new RedisKeys(settings.namespace()));
            get(other.adminConnection().run(commands -> commands.set(list, new byte[] {'x'})));

            assertThat(get(other.limits().change(limit, kind.set())).done()).isTrue();

            get(other.adminConnection().run(commands -> commands.del(list)));
            get(other.adminConnection()
                    .run(commands -> commands.zadd(list, System.currentTimeMillis(), limit.getBytes())));
            assertThat(kind.names(other).overridden()).containsExactly(limit);
        }
    }

    private void list(Kind kind, double since) {
        byte[] list = kind.list(RedisKeys.DEFAULTS);
        get(store.adminConnection().run(commands -> commands.zadd(list, since, limit.getBytes())));
    }

    private double listedSince(Kind kind) {
        byte[] list = kind.list(RedisKeys.DEFAULTS);
        return get(store.adminConnection().run(commands -> commands.zscore(list, limit.getBytes())));
    }

    /** A bucket that nobody uses after a change shows its next token by the new numbers. */
    @ParameterizedTest
    @CsvSource({"10000000, 1", "10000000, 7", "60000000, 5", "1000000, 3"})
    void theNextTokenIsShownAsTheNumbersInForceHaveIt(long interval, int burst) {
        store.limits().describe(new RateInfo(limit, 10_000_000, 3, "key"));
        assertThat(ask(3).tokens()).isEqualTo(3);
        change(LimitRequest.set(new Rate(interval, burst), ANNA, null));

        RateView.Bucket shown = shown();

        RateAnswer asked = ask(0);
        assertThat(shown.nextAtMicros()).isEqualTo(asked.atMicros() + asked.firstMicros());
        change(LimitRequest.reset(LimitKind.RATE, null));
        shown = shown();
        asked = ask(0);
        assertThat(shown.nextAtMicros()).as("once it is reset").isEqualTo(asked.atMicros() + asked.firstMicros());
    }

    private RateView.Bucket shown() {
        return get(store.limits().showRate(limit, 1)).orElseThrow().buckets().get(0);
    }

    private RateAnswer ask(int tokens) {
        RateRequest request = new RateRequest("k", tokens, 10_000_000, 3, 200, 0);
        return get(store.limits().tokens(limit, List.of(request)).toCompletableFuture())
                .get(0);
    }
}
