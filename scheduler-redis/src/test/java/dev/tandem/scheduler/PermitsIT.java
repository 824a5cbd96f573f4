package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.store.LimitKind;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitModel;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.PermitRequest.PermitRun;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateModel;
import dev.tandem.task.store.RateRequest;
import dev.tandem.task.store.RateView;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares what Redis says of permits with the model at every step. */
class PermitsIT extends OperatorTestBase {

    private static final int STEPS = 600;

    private final String limit = UniqueNames.fresh("limit");

    /** Leases and turns are so short that some end while the test runs. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void answersAsTheModelDoes(long seed) {
        PermitModel model = new PermitModel();
        Random random = new Random(seed);
        ScriptAssembler timed = new ScriptAssembler(Map.of());
        byte[] source = timed.assemble(Script.SHARE_PERMITS.file())
                .replace("local time = call('TIME')", "")
                .replace("time[1] * 1000 + math.floor(time[2] / 1000)", "tonumber(ARGV[11])")
                .getBytes(StandardCharsets.UTF_8);
        long now = 1_800_000_000_000L;
        int max = 1 + random.nextInt(8);
        long[] numbers = new long[4];
        for (int step = 0; step < STEPS; step++) {
            now += random.nextInt(120);
            int executor = random.nextInt(numbers.length);
            int used = random.nextInt(4);
            int kept = used + random.nextInt(3);
            int wanted = kept + random.nextInt(6);
            if (random.nextInt(40) == 0) {
                overrideRandomly(model, random);
            }
            long number = random.nextInt(10) == 0 ? numbers[executor] : ++numbers[executor];
            PermitRequest request = new PermitRequest(
                    limit, max, "executor-" + executor, number, used, kept, wanted, wanted - used, 400, null);

            byte[][] arguments = store.limits().arguments(request);
            byte[][] withTime = Arrays.copyOf(arguments, arguments.length + 1);
            withTime[arguments.length] = Long.toString(now).getBytes(StandardCharsets.UTF_8);
            List<Object> reply = get(store.adminConnection()
                    .run(commands ->
                            commands.eval(source, ScriptOutputType.MULTI, RedisKeys.DEFAULTS.limit(limit), withTime)));

            assertThat(RedisLimits.answer(reply))
                    .as("seed %s step %s: %s", seed, step, request)
                    .isEqualTo(model.apply(request, now));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void reservesTokensAsTheModelDoes(long seed) {
        RateModel model = new RateModel();
        Random random = new Random(seed);
        byte[] source = new ScriptAssembler(Map.of())
                .assemble(Script.RESERVE_TOKENS.file())
                .replace("local time = call('TIME')", "")
                .replace("time[1] * 1000000 + time[2]", "tonumber(ARGV[#ARGV])")
                .replace("'PX', ", "'PX', 1000 * ") // Keys must not go before the time of the test says so.
                .getBytes(StandardCharsets.UTF_8);
        long now = 1_800_000_000_000_000L;
        for (int step = 0; step < STEPS; step++) {
            now += random.nextInt(300_000);
            List<RateRequest> requests = new ArrayList<>();
            for (int i = 0; i <= random.nextInt(3); i++) {
                requests.add(new RateRequest(
                        "tenant-" + i,
                        random.nextInt(50),
                        10_000 * (i + 1),
                        1 + 3 * i,
                        200,
                        random.nextInt(20) == 0 ? random.nextInt(3_000) : 0));
            }
            if (random.nextInt(40) == 0) {
                overrideRandomly(model, random);
            }
            byte[][] keys = store.limits().keysOf(limit, requests);
            byte[][] arguments = Stream.concat(
                            requests.stream().map(RedisLimits::encode),
                            Stream.of(Long.toString(now).getBytes(StandardCharsets.UTF_8)))
                    .toArray(byte[][]::new);
            List<Object> reply = get(store.adminConnection()
                    .run(commands -> commands.eval(source, ScriptOutputType.MULTI, keys, arguments)));

            long at = now;
            assertThat(RedisLimits.rateAnswers(reply))
                    .as("seed %s step %s: %s", seed, step, requests)
                    .isEqualTo(
                            requests.stream().map(each -> model.apply(each, at)).toList());
        }
    }

    private void overrideRandomly(PermitModel model, Random random) {
        if (random.nextInt(3) == 0) {
            reset(LimitKind.PERMITS);
            model.override(null);
        } else {
            int max = 1 + random.nextInt(10);
            set(new LimitRequest.Permits(max));
            model.override(max);
        }
    }

    private void overrideRandomly(RateModel model, Random random) {
        if (random.nextInt(3) == 0) {
            reset(LimitKind.RATE);
            model.override(null);
        } else {
            LimitRequest.Rate rate = new LimitRequest.Rate(1_000 + random.nextInt(200_000), 1 + random.nextInt(8));
            set(rate);
            model.override(rate);
        }
    }

    private LimitRequest.Answer reset(LimitKind kind) {
        return get(store.limits().change(limit, LimitRequest.reset(kind, null)));
    }

    private LimitRequest.Answer set(LimitRequest.Numbers wanted) {
        return get(store.limits().change(limit, LimitRequest.set(wanted, "anna", null)));
    }

    @Test
    void anOverrideHoldsForTheNextRequestAndTellsAllExecutors() throws Exception {
        AtomicInteger told = new AtomicInteger();
        try (AutoCloseable watch = store.limits().watch(limit, "idle", told::incrementAndGet)) {
            await().until(() -> told.get() > 0); // the subscription
            assertThat(ask("one", 1, 3, 3, 5)).isEqualTo(new PermitAnswer(3, 3, false, 3));
            int before = told.get();

            assertThat(set(new LimitRequest.Permits(5)).before()).isNull();

            await().until(() -> told.get() > before);
            assertThat(ask("one", 2, 3, 3, 5)).isEqualTo(new PermitAnswer(5, 5, false, 5));
            LimitRequest longName = LimitRequest.set(new LimitRequest.Permits(2), "x".repeat(300), null);
            assertThat(get(store.limits().change(limit, longName)).before())
                    .isInstanceOfSatisfying(LimitOverride.OfPermits.class, former -> {
                        assertThat(former.max()).isEqualTo(5);
                        assertThat(former.by()).isEqualTo("anna");
                        assertThat(former.atMillis()).isPositive();
                    });
            assertThat(ask("one", 3, 5, 5, 5)).as("five run").isEqualTo(new PermitAnswer(2, 2, false, 2));
            PermitView view = get(store.limits().show(limit));
            assertThat(view.configured()).isEqualTo(3);
            assertThat(view.override()).satisfies(each -> assertThat(each.by()).hasSize(LimitOverride.MAX_NAME));
            assertThat(reset(LimitKind.PERMITS).before()).isNotNull();
            assertThat(reset(LimitKind.PERMITS).before()).as("once more").isNull();
            assertThat(ask("one", 4, 2, 2, 5)).isEqualTo(new PermitAnswer(3, 3, false, 3));
        }
    }

    @Test
    void aHigherRateDoesNotKeepWhatTheFormerOneHadTaken() throws Exception {
        AtomicInteger told = new AtomicInteger();
        RateRequest wants = new RateRequest("", 20, 60_000_000, 10, 0, 0);
        store.limits().describe(new RateInfo(limit, 60_000_000, 10, null));
        try (AutoCloseable watch = store.limits().watchRate(limit, told::incrementAndGet)) {
            await().until(() -> told.get() > 0); // the subscription
            assertThat(tokens(wants).tokens()).isEqualTo(10);
            int before = told.get();

            set(new LimitRequest.Rate(1_000, 10));

            await().until(() -> told.get() > before);
            await("the first token comes a millisecond later")
                    .untilAsserted(() -> assertThat(tokens(wants).tokens()).isPositive());
            RateView view = get(store.limits().showRate(limit, 1)).orElseThrow();
            assertThat(view.info().intervalMicros()).isEqualTo(60_000_000);
            assertThat(view.intervalMicros()).isEqualTo(1_000);
            assertThat(reset(LimitKind.RATE).before()).isNotNull();
            assertThat(tokens(wants).intervalMicros()).isEqualTo(60_000_000);
        }
    }

    @Test
    void anExecutorOfAnEarlierVersionReadsTheBucketsOfAnOverride() {
        set(new LimitRequest.Rate(5_000_000, 4));
        reserve(new RateRequest("k", 3, 10_000, 1, 0, 0));

        String bucket = new String(
                get(store.adminConnection().run(commands -> commands.get(RedisKeys.DEFAULTS.rate(limit, "k")))),
                StandardCharsets.UTF_8);

        assertThat(bucket).endsWith(".00000050000004");
        assertThat(Double.parseDouble(bucket)).isBetween(micros() + 1e6, micros() + 15e6);
    }

    private RateAnswer tokens(RateRequest request) {
        return get(store.limits().tokens(limit, List.of(request)).toCompletableFuture())
                .get(0);
    }

    @Test
    void bucketsOfARateLimitExpire() {
        RateRequest request = new RateRequest("k", 5, 100_000, 1, 200, 0);
        RateAnswer answer = get(store.limits().tokens(limit, List.of(request)).toCompletableFuture())
                .get(0);
        assertThat(answer.tokens()).isEqualTo(3);
        assertThat(answer.nextMillis()).isBetween(50L, 100L);
        long ttl = get(store.adminConnection().run(commands -> commands.pttl(RedisKeys.DEFAULTS.rate(limit, "k"))));
        assertThat(ttl).isBetween(1L, 1_400L);
    }

    @Test
    void showsWhichBucketsOfARateLimitAreInUse() {
        RateInfo info = new RateInfo(limit, 10_000_000, 3, "header:tenant of mine");
        store.limits().describe(info);
        long before = micros();
        reserve(new RateRequest("", 1, 10_000_000, 3, 200, 0), new RateRequest("acme", 9, 10_000_000, 3, 200, 0));
        reserve(new RateRequest("paused", 0, 10_000_000, 3, 200, 60_000), new RateRequest("unused", 0, 1, 1, 200, 0));
        reserve(new RateRequest("paused", 0, 10_000_000, 3, 200, 1_000));
        long after = micros();

        await().untilAsserted(() ->
                assertThat(get(store.limits().rateNames()).contains(limit)).isTrue());
        RateView view = get(store.limits().showRate(limit, 10)).orElseThrow();

        assertThat(view.info()).isEqualTo(info);
        assertThat(view.used()).isEqualTo(3);
        assertThat(view.paused()).isEqualTo(1);
        assertThat(view.buckets()).extracting(RateView.Bucket::name).containsExactly("paused", "acme", "");
        RateView.Bucket paused = view.buckets().get(0);
        assertThat(paused.pausedUntilMicros()).isBetween(before + 60_000_000, after + 60_000_000);
        assertThat(paused.nextAtMicros()).as("none in the pause").isEqualTo(paused.pausedUntilMicros());
        assertThat(view.buckets().get(1).nextAtMicros())
                .as("its burst of three is taken")
                .isBetween(before + 10_000_000, after + 10_000_000);
        assertThat(view.buckets().get(2).nextAtMicros()).as("it has two more").isLessThan(after);
        assertThat(get(store.limits().showRate(limit, 1)).orElseThrow().buckets())
                .hasSize(1);
        assertThat(get(store.limits().showRate("unknown", 1))).isEmpty();
    }

    @Test
    void theListsOfBucketsAreBoundedAndExpire() {
        int buckets = 1_010;
        for (int from = 0; from < buckets; from += RateRequest.MAX_REQUESTS) {
            reserve(IntStream.range(from, Math.min(buckets, from + RateRequest.MAX_REQUESTS))
                    .mapToObj(i -> new RateRequest("k" + i, 1, 10_000_000 + i, 1, 200, 5_000))
                    .toArray(RateRequest[]::new));
        }

        for (byte[] key : RedisKeys.DEFAULTS.usedRates(limit)) {
            long listed = get(store.adminConnection().run(commands -> commands.zcard(key)));
            long ttl = get(store.adminConnection().run(commands -> commands.pttl(key)));
            assertThat(listed).isEqualTo(1_000);
            assertThat(ttl).isBetween(1L, 20_000L);
        }
    }

    private void reserve(RateRequest... requests) {
        assertThat(get(store.limits().tokens(limit, List.of(requests)).toCompletableFuture()))
                .hasSize(requests.length);
    }

    /** Returns the time of Redis in microseconds. */
    private long micros() {
        RateRequest request = new RateRequest("clock", 0, 1, 1, 0, 0);
        return get(store.limits().tokens(limit, List.of(request)).toCompletableFuture())
                .get(0)
                .atMicros();
    }

    @Test
    void whatOneGivesBackAnotherIsToldOfAndGets() throws Exception {
        AtomicInteger told = new AtomicInteger();
        try (AutoCloseable watch = store.limits().watch(limit, "two", told::incrementAndGet)) {
            await().until(() -> told.get() > 0); // the subscription
            assertThat(ask("one", 1, 2, 2, 5)).isEqualTo(new PermitAnswer(3, 3, false, 3));
            assertThat(ask("two", 1, 0, 0, 5)).isEqualTo(new PermitAnswer(0, 1, true, 3));
            int before = told.get();

            assertThat(ask("one", 2, 2, 2, 5)).isEqualTo(new PermitAnswer(2, 2, true, 3));

            await().until(() -> told.get() > before);
            assertThat(ask("two", 2, 0, 0, 5).held()).isEqualTo(1);
        }
    }

    @Test
    void showsWhoHasPermits() {
        List<PermitRun> runs = List.of(new PermitRun("orders", "0/1:7", "order-7", 1_800_000_000_000L));
        get(store.limits()
                .permits(new PermitRequest(limit, 3, "one", 1, 1, 1, 4, 3, 10_000, runs))
                .toCompletableFuture());

        PermitView view = get(store.limits().show(limit));

        assertThat(view.configured()).isEqualTo(3);
        assertThat(view.override()).isNull();
        assertThat(view.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.executor()).isEqualTo("one");
            assertThat(holder.held()).isEqualTo(3);
            assertThat(holder.used()).isEqualTo(1);
            assertThat(holder.waiting()).isEqualTo(3);
            assertThat(holder.leaseMillis()).isBetween(1L, 10_000L);
            assertThat(holder.runs()).isEqualTo(runs);
        });
        await().untilAsserted(() ->
                assertThat(get(store.limits().names()).contains(limit)).isTrue());
        assertThat(get(store.limits().show("unknown")).holders()).isEmpty();
    }

    private PermitAnswer ask(String executor, long number, int used, int kept, int wanted) {
        return get(store.limits()
                .permits(new PermitRequest(limit, 3, executor, number, used, kept, wanted, wanted - used, 10_000, null))
                .toCompletableFuture());
    }
}
