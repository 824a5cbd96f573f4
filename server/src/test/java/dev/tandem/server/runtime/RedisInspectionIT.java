package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.executor.TaskLimit;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.PermitView;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.RedisClient;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests of how much one request of the API asks of Redis in a queue of many partitions. */
class RedisInspectionIT {

    private static final int PARTITIONS = 2_000;

    private static RedisStore store;
    private static RedisClient client;

    private final String queue = UniqueNames.fresh("orders");

    @BeforeAll
    static void open() {
        store = RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
        client = RedisClient.create(Brokers.redis().uri());
    }

    @AfterAll
    static void close() {
        if (store != null) {
            store.close();
            client.shutdown();
        }
    }

    @Test
    void aSearchThatFindsNothingEndsEarlySaysSoAndGoesOn() {
        namePartitions();
        RedisInspection inspection = new RedisInspection(Map.of(), store);
        int requests = 0;
        int outOfTime = 0;
        @Nullable String cursor = null;
        do {
            long began = System.nanoTime();
            Page<TaskInfo> page = inspection.tasks(queue, null, null, cursor, 50, task -> false);
            assertThat(page.items()).isEmpty();
            assertThat(page.partial()).isEqualTo(page.next() != null);
            cursor = page.next();
            requests++;
            // On a slow machine a request ends because its ten seconds are over.
            outOfTime += System.nanoTime() - began > TimeUnit.SECONDS.toNanos(9) ? 1 : 0;
        } while (cursor != null);

        assertThat(requests).isGreaterThanOrEqualTo(2);
        assertThat(requests - outOfTime)
                .as("5 lists of 2,000 partitions, 5,000 scripts in one request")
                .isLessThanOrEqualTo(4);
    }

    @Test
    void aCursorThatNoPageReturnedIsRefused() {
        RedisInspection inspection = new RedisInspection(Map.of(), store);
        assertThatThrownBy(() -> inspection.tasks(queue, null, null, "x", 50, null))
                .isInstanceOf(IllegalArgumentException.class)
                .isNotInstanceOf(UnavailableException.class);
    }

    /** Pages that are looked at ask for counts all the time. */
    @Test
    void whoAsksForCountsAndWhoAsksForATaskDoNotTakeEachOthersPlaces() {
        ExecutorSearch executors = new ExecutorSearch(store);
        Set<String> silent = Set.of("silent");
        ExecutorService people = Executors.newFixedThreadPool(16);
        try {
            HeldQuestion ofTask = new HeldQuestion("", false, "pay-1");
            List<CompletableFuture<HeldAnswer>> asked = IntStream.range(0, 16)
                    .mapToObj(i ->
                            CompletableFuture.supplyAsync(() -> executors.held(queue, ofTask, silent, silent), people))
                    .toList();
            await().until(() -> asked.stream().anyMatch(CompletableFuture::isCompletedExceptionally));

            HeldQuestion count = new HeldQuestion("", HeldQuestion.Kind.COUNT, "");
            assertThat(executors.held(queue, count, silent, silent).executors())
                    .as("it ends without the silent one")
                    .isEmpty();
        } finally {
            people.shutdown();
        }
    }

    @Test
    void anOverviewHasTheLimitOfEachQueueThatIsInForceNow() {
        RedisInspection inspection = new RedisInspection(Map.of(), store);
        String limit = TaskLimit.nameOfQueue(queue);
        store.limits()
                .permits(new PermitRequest(limit, 50, "one", 1, 26, 26, 30, 4, 60_000, List.of()))
                .join();
        PermitView before = limitOf(inspection, queue);
        assertThat(before.configured()).isEqualTo(50);
        assertThat(before.override()).isNull();
        assertThat(before.holders())
                .singleElement()
                .satisfies(
                        each -> assertThat(List.of(each.used(), each.waiting())).containsExactly(26, 4));

        store.limits()
                .change(limit, LimitRequest.set(new LimitRequest.Permits(20), "ann", null))
                .join();
        assertThat(limitOf(inspection, queue).override())
                .isNotNull()
                .satisfies(it -> assertThat(it.max()).isEqualTo(20));
        assertThat(limitOf(inspection, UniqueNames.fresh("mail")).holders()).isEmpty();
    }

    private static PermitView limitOf(RedisInspection inspection, String queue) {
        PermitView limit =
                inspection.overview(List.of(queue)).queues().get(queue).limit();
        return Objects.requireNonNull(limit);
    }

    private void namePartitions() {
        String[] names =
                IntStream.range(0, PARTITIONS).mapToObj(Integer::toString).toArray(String[]::new);
        client.connect().sync().sadd("tandem:{" + queue + "}:partitions", names);
    }
}
