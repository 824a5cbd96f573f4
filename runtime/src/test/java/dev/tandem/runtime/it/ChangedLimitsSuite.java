package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.store.LimitKind;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateView;
import dev.tandem.testkit.UniqueNames;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Limits whose numbers operators change while tasks run, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class ChangedLimitsSuite extends LimitsTestBase {

    private static final String OPERATOR = "anna";

    private final String queue = UniqueNames.fresh("changed");
    private final String limit = "queue:" + queue;
    private final AtomicInteger done = new AtomicInteger();
    /** Each run ends with a permit of this. */
    private final Semaphore ends = new Semaphore(0);

    private RedisStore store;

    @BeforeEach
    void open() {
        store = SuiteRedis.of(source()).open();
    }

    @AfterEach
    void stop() {
        ends.release(100_000);
        store.close();
    }

    private Tandem start(Path settings) {
        return ready(Tandem.connect(settings)
                .queue(queue)
                .handler("ship", Integer.class, this::ship)
                .start());
    }

    private void ship(Integer number, TaskContext task) throws InterruptedException {
        begins();
        try {
            assertThat(ends.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            done.incrementAndGet();
        } finally {
            running.decrementAndGet();
        }
    }

    private void submit(Tandem tandem, int count) throws InterruptedException {
        List<TaskRequest<?>> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(TaskRequest.of(queue, "ship", i).withKey("ship-" + i));
        }
        submit(tandem, tasks);
    }

    private void set(int max) {
        store.limits()
                .change(limit, LimitRequest.set(new LimitRequest.Permits(max), OPERATOR, null))
                .join();
    }

    private void awaitRunning(int count) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(running).hasValue(count));
    }

    private int held() {
        return store.limits().show(limit).join().holders().stream()
                .mapToInt(PermitView.Holder::held)
                .sum();
    }

    /** Lets runs end, one after another, until the executors keep a lower number. Some may begin before they have heard of it. */
    private void endUntil(int max) {
        await().atMost(PATIENCE).until(() -> {
            if (running.get() > max) {
                ends.release();
            }
            return running.get() <= max && held() <= max;
        });
        awaitRunning(max);
    }

    /** Lets runs end one after another, and asserts that never more than so many run from now on. */
    private void endSome(int count, int max) {
        most.set(0);
        int before = done.get();
        for (int i = 1; i <= count; i++) {
            int wanted = before + i;
            ends.release();
            await().atMost(PATIENCE).until(() -> done.get() == wanted);
            awaitRunning(max);
        }
        assertThat(most.get()).isLessThanOrEqualTo(max);
    }

    @Test
    void executorsTogetherKeepTheNumberThatIsInForceWhileItIsLoweredRaisedAndReset() throws Exception {
        Path settings = settings(queue, ", max-running: 6", "");
        start(settings);
        Tandem tandem = start(settings);
        submit(tandem, 120);
        awaitRunning(6);

        set(2);
        endUntil(2);
        endSome(10, 2);

        set(9);
        awaitRunning(9); // None has ended meanwhile.
        PermitView view = store.limits().show(limit).join();
        assertThat(view.configured()).isEqualTo(6);
        assertThat(view.override()).satisfies(each -> assertThat(each.by()).isEqualTo(OPERATOR));

        store.limits()
                .change(limit, LimitRequest.reset(LimitKind.PERMITS, null))
                .join();
        endUntil(6);
        endSome(10, 6);
    }

    @Test
    void executorsThatStartLaterKeepTheNumberToo() throws Exception {
        set(1);
        Path settings = settings(queue, ", max-running: 6", "");
        start(settings);
        Tandem tandem = start(settings);
        submit(tandem, 40);

        awaitRunning(1);
        endSome(5, 1);
    }

    @Test
    void aHigherRateLetsTasksStartThatWaitAndTheSettingsHoldAfterAReset() throws Exception {
        String rate = UniqueNames.fresh("rate");
        ends.release(1_000);
        Path settings =
                settings(queue, "", "tandem.rate-limits.%s: { rate: 1/h, queues: [%s] }".formatted(rate, queue));
        start(settings);
        Tandem tandem = start(settings);
        submit(tandem, 60);
        await().atMost(PATIENCE).until(() -> done.get() == 1);

        LimitRequest faster = LimitRequest.set(new LimitRequest.Rate(10_000, 5), OPERATOR, null);
        store.limits().change(rate, faster).join();

        await().atMost(PATIENCE).until(() -> done.get() == 60);
        assertThat(store.limits()
                        .change(rate, LimitRequest.reset(LimitKind.RATE, null))
                        .join()
                        .before())
                .isInstanceOfSatisfying(
                        LimitOverride.OfRate.class,
                        each -> assertThat(each.burst()).isEqualTo(5));
        submit(tandem, 5);
        await("one token of the burst is left").atMost(PATIENCE).until(() -> done.get() == 61);
        RateView view = store.limits().showRate(rate, 1).join().orElseThrow();
        assertThat(view.override()).isNull();
        assertThat(view.buckets())
                .singleElement()
                .satisfies(bucket -> assertThat(bucket.nextAtMicros() / 1_000)
                        .as("the next one begins in an hour")
                        .isGreaterThan(System.currentTimeMillis() + 3_000_000));
    }
}
