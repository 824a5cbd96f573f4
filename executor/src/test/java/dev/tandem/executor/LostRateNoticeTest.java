package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Outcome;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateModel;
import dev.tandem.task.store.RateRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** When an executor learns of another rate whose notice is lost, and how often it asks for that. */
class LostRateNoticeTest {

    private static final long LEASE = 40_000;
    private static final long SECOND = 1_000_000_000;

    private final ManualClock clock = new ManualClock();
    private final RateModel model = new RateModel();
    private final Deque<Runnable> answers = new ArrayDeque<>();
    private final List<String> begun = new ArrayList<>();
    private int calls;
    private boolean fails;

    private final class ModelStore extends LimitsOnlyStore {
        @Override
        public CompletionStage<List<RateAnswer>> tokens(String limit, List<RateRequest> requests) {
            calls++;
            CompletableFuture<List<RateAnswer>> future = new CompletableFuture<>();
            List<RateAnswer> given = fails
                    ? null
                    : requests.stream()
                            .map(each -> model.apply(each, clock.nanos() / 1_000))
                            .toList();
            answers.add(() -> {
                if (given == null) {
                    future.completeExceptionally(new IllegalStateException("away"));
                } else {
                    future.complete(given);
                }
            });
            return future;
        }
    }

    private record Waiting(String name, List<String> begun) implements Rates.Waiter {
        @Override
        public void ready() {
            begun.add(name);
        }

        @Override
        public boolean mayBegin(long nowMillis) {
            return true;
        }

        @Override
        public void turnedAway(Outcome outcome) {}
    }

    private final Rates rates = new Rates(new ModelStore(), LEASE, clock, () -> {});
    private final Rates.RateLimit limit = rates.limit(new TaskRate("erp", 3_600_000_000L, 1, "key", TaskPattern.ALL));

    /** Returns 0 if the run waits here, else the milliseconds after which it should come again. */
    private long await(String bucket, String run, long longestNanos) {
        return rates.await(limit, bucket, new Waiting(run, begun), longestNanos);
    }

    private void pass(long millis) {
        for (long i = 0; i < millis; i++) {
            while (!answers.isEmpty()) {
                answers.remove().run();
            }
            rates.tick();
            clock.advance(1);
        }
    }

    @Test
    void aHigherRateIsLearnedWithinAQuarterOfTheLeaseForAllBuckets() {
        for (String run : List.of("a1", "a2", "a3", "b1", "b2")) {
            await(run.substring(0, 1), run, Long.MAX_VALUE);
        }
        pass(1_000);
        assertThat(begun).as("one of each bucket in an hour").containsExactlyInAnyOrder("a1", "b1");
        int before = calls;
        pass(2 * LEASE);
        assertThat(calls - before).as("of all buckets together").isBetween(7, 8);

        model.override(new LimitRequest.Rate(10_000, 1));
        pass(LEASE / 4 + 100);

        assertThat(begun).containsExactlyInAnyOrder("a1", "a2", "a3", "b1", "b2");
        before = calls;
        pass(2 * LEASE);
        assertThat(calls).as("nobody waits for a token").isEqualTo(before);
    }

    @Test
    void runsAreNotSentAwayForAsLongAsTheFormerRateSays() {
        await("a", "a1", Long.MAX_VALUE);
        Waiting second = new Waiting("a2", begun);
        rates.await(limit, "a", second, Long.MAX_VALUE);
        pass(100);
        rates.turnAway(limit, List.of(second), Outcome.NotStarted.INSTANCE);
        assertThat(await("a", "a3", SECOND)).as("it comes back later").isPositive();

        model.override(new LimitRequest.Rate(10_000, 1));
        pass(LEASE / 4 + 100);

        assertThat(await("a", "a4", SECOND)).isZero();
        pass(50);
        assertThat(begun).containsExactly("a1", "a4");
    }

    @Test
    void aLostAnswerChangesNothing() {
        await("a", "a1", Long.MAX_VALUE);
        await("a", "a2", Long.MAX_VALUE);
        pass(1_000);
        fails = true;
        int before = calls;
        pass(LEASE);
        assertThat(calls - before).as("one in a quarter of the lease").isBetween(3, 4);

        fails = false;
        model.override(new LimitRequest.Rate(10_000, 1));
        pass(LEASE / 4 + 100);
        assertThat(begun).containsExactly("a1", "a2");
    }

    @Test
    void nothingIsAskedForBesidesTokensWhileTheyComeOften() {
        model.override(new LimitRequest.Rate(1_000_000, 1));
        for (String run : List.of("a1", "a2", "a3")) {
            await("a", run, Long.MAX_VALUE);
        }
        pass(3_000);
        assertThat(begun).hasSize(3);
        int before = calls;
        pass(2 * LEASE);
        assertThat(calls).isEqualTo(before);
    }
}
