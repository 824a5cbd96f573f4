package dev.tandem.scheduler;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedis;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutPlan.Rule;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.testkit.Brokers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fan-outs are found by their masters, whatever their names are. */
class FanOutMastersIT {

    private static final String MASTER = "00000000000000000007";
    private static final long KEEP = 60_000;

    private static final int ENDED = 2;
    private static final int MASTERS = 3;
    private static final int KEPT = 4;

    private static final AtomicInteger others = new AtomicInteger();

    private static LocalRedis redis;
    private static RedisStore store;

    @BeforeAll
    static void start() {
        redis = Brokers.ownRedis();
        store = RedisStore.open(RedisSettings.of(redis.address()));
    }

    @AfterAll
    static void stop() {
        store.close();
        redis.close();
    }

    @Test
    void oneIsFoundBehindManyOthersWhileItIsOpenAndWhileItIsKept() {
        String named = id(0, 1);
        open(named, MASTER, KEEP);
        for (int i = 2; i < 300; i++) {
            open(id(0, i), id(0, i), KEEP);
        }
        assertThat(anyOf(MASTER)).isTrue();
        assertThat(anyOf(id(0, 5))).isTrue();
        assertThat(anyOf("of no fan-out")).isFalse();

        ask(new FanOutRequest.GiveUp(named, "no longer wanted"));
        assertThat(ask(new FanOutRequest.View(named)).record().finished()).isTrue();
        assertThat(anyOf(MASTER)).isTrue();
    }

    @Test
    void oneThatIsKeptNoMoreIsForgottenWithItsMaster() {
        String forgotten = id(1, 1);
        open(forgotten, "of a forgotten one", 1);
        ask(new FanOutRequest.GiveUp(forgotten, "no longer wanted"));
        await().atMost(PATIENCE).until(() -> !anyOf("of a forgotten one"));

        endAnother(forgotten);

        for (int list : List.of(ENDED, MASTERS, KEPT)) {
            assertThat(score(list, forgotten)).isNull();
        }
    }

    /** Servers of an earlier version do not note until when one is kept, and may have forgotten that it ended. */
    @ParameterizedTest
    @ValueSource(ints = {ENDED, MASTERS})
    void oneThatAServerOfAnEarlierVersionEndedIsForgotten(int list) {
        String left = id(2, list);
        store.adminConnection()
                .run(commands -> commands.zadd(list(list, left), 7, bytes(left)))
                .join();

        for (int ends = 0; score(list, left) != null; ends++) {
            assertThat(ends).isLessThan(5_000);
            endAnother(left);
        }
    }

    private enum Phase {
        OPEN,
        SEALED,
        FINISHED
    }

    /** A server of an earlier version began it, and one of this version comes to it. */
    @ParameterizedTest
    @EnumSource(Phase.class)
    void oneIsFoundOnceALaterRunHasComeToIt(Phase phase) {
        String resumed = id(3, phase.ordinal());
        String master = "of one that is " + phase;
        open(resumed, master, KEEP);
        if (phase == Phase.SEALED) {
            ask(new FanOutRequest.Seal(resumed, 1, 5));
        } else if (phase == Phase.FINISHED) {
            ask(new FanOutRequest.GiveUp(resumed, "no longer wanted"));
        }
        remove(MASTERS, resumed);
        remove(KEPT, resumed);
        remove(ENDED, resumed);
        assertThat(anyOf(master)).isFalse();

        open(resumed, master, KEEP);

        assertThat(anyOf(master)).isTrue();
        assertThat(score(ENDED, resumed) != null).isEqualTo(phase == Phase.FINISHED);
        endAnother(resumed);
        assertThat(anyOf(master)).isTrue();
    }

    /** Programs share the buckets, and each has a setting of its own. */
    @Test
    void oneIsFoundAsLongAsItIsKeptItselfWhateverEndsBesideIt() throws Exception {
        String kept = id(4, 1);
        open(kept, "of one that is kept for long", KEEP);
        ask(new FanOutRequest.GiveUp(kept, "no longer wanted"));
        long ended = redisTime();
        await().atMost(PATIENCE).until(() -> redisTime() > ended + 1); // Longer than the others are kept.

        endAnother(kept);
        endAnother(kept);

        assertThat(anyOf("of one that is kept for long")).isTrue();
        assertThat(score(ENDED, kept)).isNotNull();
    }

    /** Runs of its master prolong what is kept. */
    @Test
    void oneWhoseMasterRanAgainIsFoundAsLongAsItIsKept() {
        String kept = id(5, 1);
        open(kept, "of one that ran again", KEEP);
        ask(new FanOutRequest.GiveUp(kept, "no longer wanted"));
        store.adminConnection()
                .run(commands -> commands.zadd(list(KEPT, kept), 1, bytes(kept)))
                .join();

        open(kept, "of one that ran again", KEEP);
        endAnother(kept);

        assertThat(anyOf("of one that ran again")).isTrue();
    }

    @Test
    void oneThatBeginsAnewAfterItWasForgottenIsFound() {
        String again = id(6, 1);
        open(again, "of one that begins anew", 1);
        ask(new FanOutRequest.GiveUp(again, "no longer wanted"));
        await().atMost(PATIENCE).until(() -> !anyOf("of one that begins anew"));

        open(again, "of one that begins anew", KEEP);
        endAnother(again);

        assertThat(anyOf("of one that begins anew")).isTrue();
        assertThat(score(ENDED, again)).isNull();
    }

    @Test
    void oneIsFoundBehindPagesOfThoseThatAreKeptNoMore() {
        String kept = id(7, 0);
        open(kept, "of many", KEEP);
        double master = score(MASTERS, kept);
        for (int i = 0; i < 2 * FanOutAdmin.PAGE_OF_A_MASTER; i++) {
            byte[] forgotten = bytes(String.format(Locale.ROOT, "%020d", i));
            store.adminConnection()
                    .run(commands -> commands.zadd(list(MASTERS, kept), master, forgotten))
                    .join();
        }

        assertThat(anyOf("of many")).isTrue();
    }

    /** Ends another fan-out of the same bucket. */
    private static void endAnother(String than) {
        String other = Stream.generate(others::incrementAndGet)
                .map(each -> id(9, each))
                .filter(each -> FanOutBuckets.of(each) == FanOutBuckets.of(than))
                .findFirst()
                .orElseThrow();
        open(other, other, 1);
        ask(new FanOutRequest.GiveUp(other, "no longer wanted"));
    }

    private static String id(int test, int number) {
        return String.format(Locale.ROOT, "%010x%010x", test, number);
    }

    private static void open(String id, String masterHash, long keep) {
        FanOutPlan plan =
                new FanOutPlan("orders", "3/0:17", "m", "t", "", 1, Rule.COMPLETE, 0, "", new byte[0], keep, 100_000);
        assertThat(ask(new FanOutRequest.Open(id, 1, masterHash, plan)).code())
                .isIn(FanOutAnswer.Code.OK, FanOutAnswer.Code.RESUMED, FanOutAnswer.Code.CLOSED);
    }

    private static FanOutAnswer ask(FanOutRequest request) {
        return store.fanOut(FanOutBuckets.of(request.id()), List.of(request))
                .toCompletableFuture()
                .join()
                .get(0);
    }

    private static boolean anyOf(String masterHash) {
        return store.fanOuts().anyOf(masterHash).join();
    }

    private static long redisTime() {
        return store.adminConnection().now().join();
    }

    /** Returns the key of a list of the bucket of a fan-out. */
    private static byte[] list(int list, String id) {
        return store.adminConnection().keys().fanOuts(FanOutBuckets.of(id))[list];
    }

    private static @Nullable Double score(int list, String id) {
        return store.adminConnection()
                .run(commands -> commands.zscore(list(list, id), bytes(id)))
                .join();
    }

    private static void remove(int list, String id) {
        store.adminConnection()
                .run(commands -> commands.zrem(list(list, id), bytes(id)))
                .join();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
