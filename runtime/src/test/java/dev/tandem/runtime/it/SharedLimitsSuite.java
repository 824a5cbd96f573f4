package dev.tandem.runtime.it;

import static dev.tandem.api.TaskOptions.header;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Limits and rate limits of several queues, of some keys, and of each tenant for itself, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class SharedLimitsSuite extends LimitsTestBase {

    private final String queue = UniqueNames.fresh("shared");
    private final String other = queue + "-other";
    private final Queue<Begun> begun = new ConcurrentLinkedQueue<>();
    private final CountDownLatch open = new CountDownLatch(1);

    /** A run that began. @param who its key or its tenant */
    private record Begun(String queue, String type, String who, long at) {}

    @AfterEach
    void letGo() {
        open.countDown();
    }

    private Tandem start(String limits) throws IOException {
        String ofQueue = "{ source: %s, ordering: key, partitions: 2, concurrency: 16 }".formatted(source());
        Path settings = settings(
                "tandem.queues.%s: %s\ntandem.queues.%s: %s\n%s".formatted(queue, ofQueue, other, ofQueue, limits));
        return ready(Tandem.connect(settings)
                .queue(queue)
                .handler("ship", Integer.class, this::ship)
                .handler("call", Integer.class, this::call)
                .queue(other)
                .handler("ship", Integer.class, this::ship)
                .handler("call", Integer.class, this::call)
                .start());
    }

    /** Runs until the test lets go of those with the number 0. */
    private void ship(Integer number, TaskContext task) throws InterruptedException {
        begins();
        try {
            note(task, String.valueOf(task.key()));
            if (number == 0) {
                open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            running.decrementAndGet();
        }
    }

    private void call(Integer number, TaskContext task) {
        note(task, String.valueOf(task.headers().get("tenant")));
    }

    private void note(TaskContext task, String who) {
        begun.add(new Begun(task.queue(), String.valueOf(task.type()), who, System.nanoTime()));
    }

    private List<Begun> begun(String type) {
        return begun.stream().filter(each -> each.type().equals(type)).toList();
    }

    /** Asserts that no more began in a time than the rate and the burst allow. One may be a little late behind its token. */
    private static void assertPaced(List<Begun> runs, int inASecond, int burst) {
        List<Long> times = runs.stream().map(Begun::at).sorted().toList();
        int more = inASecond + burst;
        assertThat(times).hasSizeGreaterThan(more);
        for (int i = 0; i + more < times.size(); i++) {
            assertThat(times.get(i + more) - times.get(i))
                    .as("%s tasks from task %s on, in ns", more + 1, i)
                    .isGreaterThan(750_000_000L);
        }
    }

    @Test
    void twoQueuesShareALimitAndARate() throws Exception {
        try (Tandem tandem = start("""
                tandem.limits.%s: { max-running: 3, queues: [%s, %s], types: [ship] }
                tandem.rate-limits.%s: { rate: 30/s, burst: 5, queues: [%s, %s], types: [call] }
                """.formatted(queue, queue, other, queue, queue, other))) {
            List<TaskRequest<?>> requests = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                for (String each : List.of(queue, other)) {
                    requests.add(TaskRequest.of(each, "ship", i < 15 ? 0 : 1).withKey("ship-" + i));
                    requests.add(TaskRequest.of(each, "call", i).withKey("call-" + i));
                }
            }
            submit(tandem, requests);
            await("calls go on while ships wait for permits")
                    .atMost(PATIENCE)
                    .until(() -> begun("call").size() == 60 && running.get() == 3);
            assertThat(begun("ship")).as("of 60").hasSizeLessThan(35);
            open.countDown();

            await().atMost(PATIENCE).until(() -> begun("ship").size() == 60);
            assertThat(most).hasValue(3);
            assertPaced(begun("call"), 30, 5);
            assertThat(begun).filteredOn(each -> each.queue().equals(other)).hasSize(60);
        }
    }

    @Test
    void aLimitOfSomeKeysLeavesOthersTheirSlots() throws Exception {
        try (Tandem tandem = start(
                "tandem.limits.%s: { max-running: 1, queues: [%s], keys: [\"acme/*\"] }".formatted(queue, queue))) {
            List<TaskRequest<?>> requests = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                requests.add(TaskRequest.of(queue, "ship", 0).withKey("acme/" + i));
            }
            submit(tandem, requests);
            await().atMost(PATIENCE).until(() -> running.get() == 1);
            requests.clear();
            for (int i = 0; i < 20; i++) {
                requests.add(TaskRequest.of(queue, "ship", 1).withKey("acmes/" + i));
            }
            submit(tandem, requests);

            await().atMost(PATIENCE).until(() -> begun("ship").size() == 21);
            assertThat(begun).filteredOn(each -> each.who().startsWith("acme/")).hasSize(1);
            most.set(0);
            open.countDown();
            await().atMost(PATIENCE).until(() -> begun("ship").size() == 40);
            assertThat(most).hasValue(1);
        }
    }

    @Test
    void eachTenantHasTheRateForItself() throws Exception {
        try (Tandem tandem =
                start("tandem.rate-limits.%s: { rate: 10/s, burst: 2, per: \"header:tenant\", queues: [%s] }"
                        .formatted(queue, queue))) {
            List<TaskRequest<?>> requests = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                requests.add(
                        TaskRequest.of(queue, "call", i).withKey("big-" + i).with(header("tenant", "big")));
            }
            for (int i = 0; i < 3; i++) {
                requests.add(
                        TaskRequest.of(queue, "call", i).withKey("small-" + i).with(header("tenant", "small")));
            }
            submit(tandem, requests);

            await().atMost(PATIENCE).until(() -> begun("call").size() == 33);
            assertPaced(
                    begun("call").stream()
                            .filter(each -> each.who().equals("big"))
                            .toList(),
                    10,
                    2);
            long smallDone = begun.stream()
                    .filter(each -> each.who().equals("small"))
                    .mapToLong(Begun::at)
                    .max()
                    .orElseThrow();
            assertThat(begun)
                    .as("tasks of the other tenant behind the last of this one")
                    .filteredOn(each -> each.at() > smallDone)
                    .isNotEmpty();
        }
    }
}
