package dev.tandem.runtime.it;

import static dev.tandem.api.TaskOptions.delay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.tandem.api.FanOutResult;
import dev.tandem.api.FatalTaskException;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tasks that fan out, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class FanOutSuite extends FanOutTestBase {

    private static final int MANY = 10_000;

    @Test
    void theFinalTaskComesOnceWhenAllSubtasksHaveEnded() throws IOException {
        AtomicLong begun = new AtomicLong();
        try (Tandem tandem = start((count, task) -> {
            begun.set(System.nanoTime());
            ids.add(task.fanOut(IntStream.range(0, count).mapToObj(this::subtask), done())
                    .id());
        })) {
            submit(tandem, MANY);
            FanOutResult result = awaitResult();
            System.out.println(MANY + " subtasks and the final task over " + source() + " took "
                    + (finalAt.get() - begun.get()) / 1_000_000 + " ms");

            assertThat(result.state()).isEqualTo(FanOutResult.State.COMPLETED);
            assertThat(result.id()).isEqualTo(ids.get(0));
            assertThat(result.succeeded()).isEqualTo(MANY);
            assertThat(ran.keySet())
                    .isEqualTo(Set.copyOf(IntStream.range(0, MANY).boxed().toList()));
            assertThat(ran.values()).allSatisfy(times -> assertThat(times).hasValue(1));
            assertThat(registry.get("tandem.fan.out.subtasks").counter().count())
                    .isEqualTo(MANY);
            await("the process says so too when it has noted that it submitted the final task")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(registry.get("tandem.fan.out.duration")
                                    .timer()
                                    .count())
                            .isEqualTo(1));
        }
    }

    /** The payload of a subtask: a number, which is written when the subtask is published. */
    private record Row(int number, AtomicInteger written) {

        @JsonValue
        int write() {
            written.incrementAndGet();
            return number;
        }
    }

    @Test
    void aKilledMasterGoesOnWithWhatIsMissing() throws Exception {
        Path journal = folder.resolve("journal");
        LocalProcess process = LocalProcess.java(
                        "fans",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        FanOutProgram.class.getName(),
                        List.of(settings().toString(), queue, Integer.toString(MANY), journal.toString()))
                .log(folder.resolve("process.log"))
                .disposable()
                .build()
                .start();
        try (process;
                Tandem submitting = Tandem.connect(settings())
                        .setting("tandem.executor.enabled", "false")
                        .queue(queue)
                        .handler("none", Integer.class, (number, task) -> {})
                        .start()) {
            submit(submitting, MANY);
            await().atMost(PATIENCE).until(() -> Files.exists(journal));
            process.kill();
        }
        AtomicInteger publishedAgain = new AtomicInteger();
        try (Tandem tandem = start((count, task) -> task.fanOut(
                IntStream.range(0, count).mapToObj(n -> TaskRequest.of(queue, "row", new Row(n, publishedAgain))),
                done()))) {
            FanOutResult result = awaitResult();

            assertThat(result.subtasks()).isEqualTo(MANY);
            assertThat(result.succeeded()).isEqualTo(MANY);
            assertThat(publishedAgain.get())
                    .as("the last subtask, and the window of which nobody knows whether it was published")
                    .isBetween(1, 1 + 2_048);
        }
    }

    @Test
    void subtasksAreSpreadOverAllExecutors() throws IOException {
        AtomicInteger here = new AtomicInteger();
        AtomicInteger there = new AtomicInteger();
        Master master = (count, task) -> task.fanOut(IntStream.range(0, count).mapToObj(this::subtask), done());
        try (Tandem one = start(master, (number, task) -> here.incrementAndGet());
                Tandem other = start(master, (number, task) -> there.incrementAndGet())) {
            await("each has two of the four partitions")
                    .atMost(PATIENCE)
                    .until(() -> Stream.of(one, other)
                            .allMatch(each -> each.status().queues().get(0).partitions() == 2));
            submit(one, 400);

            assertThat(awaitResult().succeeded()).isEqualTo(400);
            assertThat(List.of(here.get(), there.get()))
                    .as("of 100 in each partition")
                    .allSatisfy(count -> assertThat(count).isBetween(100, 300));
        }
    }

    @Test
    void failuresAreCountedAndDoNotKeepOthersFromRunning() throws IOException {
        try (Tandem tandem = start((count, task) -> task.fanOut(
                IntStream.range(0, count).mapToObj(n -> subtask(n % 10 == 3 ? -n : n)), done().mayFail(0.1)))) {
            submit(tandem, 100);
            FanOutResult result = awaitResult();

            assertThat(result.state()).isEqualTo(FanOutResult.State.COMPLETED);
            assertThat(result.failed()).isEqualTo(10);
            assertThat(result.succeeded()).isEqualTo(90);
            assertThat(result.errors())
                    .hasSize(10)
                    .allSatisfy(each -> assertThat(each.error()).contains("Row"));
        }
    }

    @Test
    void theFirstFailureStopsTheRest() throws IOException {
        try (Tandem tandem = start((count, task) -> task.fanOut(
                IntStream.range(0, count)
                        .mapToObj(n -> n < 5 ? subtask(-1 - n) : subtask(n).with(delay("3s"))),
                done().failFast()))) {
            submit(tandem, 40);
            FanOutResult result = awaitResult();

            assertThat(result.state()).isEqualTo(FanOutResult.State.FAILED);
            assertThat(result.failed()).isBetween(1L, 5L);
            assertThat(result.failed() + result.cancelled()).isEqualTo(40);
        }
    }

    @Test
    void aMasterThatDiesGivesItsFanOutUp() throws IOException {
        try (Tandem tandem = start((count, task) -> task.fanOut(
                IntStream.range(0, count).mapToObj(n -> {
                    if (n == 20) {
                        throw new FatalTaskException("The file is broken");
                    }
                    return subtask(n);
                }),
                done()))) {
            submit(tandem, 100);
            FanOutResult result = awaitResult();

            assertThat(result.state()).isEqualTo(FanOutResult.State.ABANDONED);
            assertThat(result.why()).contains("The file is broken");
            assertThat(result.subtasks()).isLessThanOrEqualTo(20);
        }
    }

    @Test
    void cancellingInterruptsWhatRunsAndWhatIsLostIsEndedByAnOperator() throws IOException {
        int running = 8;
        try (RedisStore store = SuiteRedis.of(source()).open();
                Tandem tandem = start((count, task) ->
                        ids.add(task.fanOut(IntStream.range(SLOW, SLOW + count).mapToObj(this::subtask), done())
                                .id()))) {
            String lost = LostFanOut.open(store, queue);
            LostFanOut.ask(store, new FanOutRequest.Cancel(lost, "asked for"));
            LostFanOut.ask(store, new FanOutRequest.GiveUp(lost, "its subtask is lost"));
            LostFanOut.ask(store, new FanOutRequest.Postpone(lost, 0));
            submit(tandem, running);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).hasSize(running));
            await().atMost(PATIENCE).until(() -> !ids.isEmpty());
            long from = System.nanoTime();
            LostFanOut.ask(store, new FanOutRequest.Cancel(ids.get(0), "asked for"));
            FanOutResult result = awaitResultOf(ids.get(0));
            System.out.println("From the cancellation of " + running + " running subtasks to the final task over "
                    + source() + " it took " + (System.nanoTime() - from) / 1_000_000 + " ms");

            assertThat(result.state()).isEqualTo(FanOutResult.State.CANCELLED);
            assertThat(result.cancelled()).isEqualTo(running);
            assertThat(ran.values())
                    .as("no other attempt")
                    .allSatisfy(times -> assertThat(times).hasValue(1));
            assertThat(awaitResultOf(lost).cancelled())
                    .as("a patrol submits its final task")
                    .isEqualTo(1);
        }
    }

    @Test
    void cancellingInterruptsWhatRunsAlsoIfAFailureHadStoppedTheRest() throws IOException {
        Master row = (number, task) -> {
            await("the others run").atMost(PATIENCE).until(() -> number >= 0 || ran.size() == 3);
            row(number, task);
        };
        Master master = (count, task) ->
                ids.add(task.fanOut(Stream.of(SLOW, SLOW + 1, SLOW + 2, -1).map(this::subtask), done().failFast())
                        .id());
        try (RedisStore store = SuiteRedis.of(source()).open();
                Tandem tandem = start(master, row)) {
            submit(tandem, 4);
            await().atMost(PATIENCE).until(() -> !ids.isEmpty());
            FanOutRequest look = new FanOutRequest.View(ids.get(0));
            await().atMost(PATIENCE).until(() -> LostFanOut.answer(store, look).stop() == Stop.FAILED);
            store.fanOuts().cancel(ids.get(0), "asked for").join();
            FanOutResult result = awaitResult();

            assertThat(result.state()).isEqualTo(FanOutResult.State.FAILED);
            assertThat(result.failed()).isEqualTo(1);
            assertThat(result.cancelled()).as("they ran").isEqualTo(3);
        }
    }
}
