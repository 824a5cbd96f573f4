package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedisCluster;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutPlan.Rule;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.RunCount;
import dev.tandem.task.statistics.RunTally;
import dev.tandem.task.statistics.StatisticsStep;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.DedupPolicy;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import dev.tandem.task.store.LimitKind;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.RateRequest;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskIdentity;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests records of no partition on a Redis Cluster: deduplication keys, schedules, and what executors announce. */
class ClusterWideRecordsIT {

    private static LocalRedisCluster cluster;

    private final String queue = UniqueNames.fresh("orders");
    private RedisStore store;

    @BeforeAll
    static void startCluster() {
        cluster = Brokers.ownRedisCluster();
    }

    @AfterAll
    static void stopCluster() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @BeforeEach
    void open() {
        store = open(RedisSettings.cluster(List.of(cluster.address().split(","))));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static RedisStore open(RedisSettings settings) {
        return RedisStore.open(settings.withAnswerTimeout(Duration.ofSeconds(2)));
    }

    /** The client connects to a node at its first command for it, and would refuse that. */
    @Test
    void firstRequestToEachNodeIsAnswered() {
        Set<Integer> thirds = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            String each = queue + "-" + i;
            thirds.add(SlotHash.getSlot("tandem:{" + each + "}:partitions") * 3 / SlotHash.SLOT_COUNT);
            assertThat(store.inspector().tasks(each, "some", 10).join()).isEmpty();
        }
        assertThat(thirds).hasSize(3);
    }

    @Test
    void deduplicationKeysAreSpreadOverTheNodes() {
        // As in an executor, which has links before it asks.
        new TestOwner(store, Partition.of(queue, 0), "one").acquire();
        Set<Integer> slots = new HashSet<>();
        TaskIdentity first = TaskIdentity.of("0", Position.of(0, 1), false, "first");
        TaskIdentity second = TaskIdentity.of("1", Position.of(0, 1), false, "second");
        for (int i = 0; i < 100; i++) {
            String key = "order-" + i;
            int bucket = DedupBuckets.of(queue, key);
            slots.add(SlotHash.getSlot(RedisKeys.DEFAULTS.dedup(queue, bucket, key)));
            List<DedupRequest> asked = List.of(
                    new DedupRequest.Ask(key, first, false, 0, DedupPolicy.DEFAULT),
                    new DedupRequest.Ask(key, second, true, 0, DedupPolicy.DEFAULT));
            // Another test may just have stopped a node. Requests may be repeated.
            await().ignoreExceptions()
                    .untilAsserted(() -> assertThat(store.dedup(queue, bucket, asked)
                                    .toCompletableFuture()
                                    .join())
                            .containsExactly(DedupAnswer.Go.INSTANCE, new DedupAnswer.Duplicate("first")));
        }
        assertThat(slots).hasSize(DedupBuckets.COUNT);
        assertThat(store.inspector().dedupKey(queue, "order-7").join()).hasValueSatisfying(key -> {
            assertThat(key.state()).isEqualTo(DedupKeyView.Bearer.WAITS);
            assertThat(key.id()).isEqualTo("first");
            assertThat(key.isTaken()).isTrue();
            assertThat(key.others()).isEqualTo(1);
        });
        assertThat(store.inspector().dedupKey(queue, "unknown").join()).isEmpty();
    }

    @Test
    void limitsAreSpreadOverTheNodes() {
        List<PermitRequest> requests = IntStream.range(0, 20)
                .mapToObj(i -> new PermitRequest(queue + "-" + i, 3, "one", 1, 0, 0, 5, 5, 10_000, null))
                .toList();
        for (PermitRequest request : requests) {
            String limit = request.limit();
            assertThat(get(() -> store.limits().permits(request).toCompletableFuture()))
                    .isEqualTo(new PermitAnswer(3, 3, false, 3));
            RateRequest tokens = new RateRequest("k", 2, 1_000_000, 2, 0, 0);
            assertThat(get(() -> store.limits()
                            .tokens(limit, List.of(tokens, new RateRequest("l", 2, 1_000_000, 2, 0, 0)))
                            .toCompletableFuture()))
                    .hasSize(2);
            assertThat(get(() -> store.limits().show(limit)).configured()).isEqualTo(3);
            for (LimitRequest.Numbers numbers :
                    List.of(new LimitRequest.Permits(7), new LimitRequest.Rate(500_000, 3))) {
                get(() -> store.limits().change(limit, LimitRequest.set(numbers, "anna", null)));
            }
            assertThat(get(() -> store.limits().show(limit)).override())
                    .satisfies(each -> assertThat(each.max()).isEqualTo(7));
            for (LimitKind kind : LimitKind.values()) {
                assertThat(get(() -> store.limits().change(limit, LimitRequest.reset(kind, null)))
                                .before())
                        .isNotNull();
            }
            assertThat(get(() -> store.limits().showRate(limit, 1))).isEmpty();
        }
        await().untilAsserted(() -> {
            // The name of a limit is written again with a later request if Redis could not be asked.
            requests.forEach(each -> get(() -> store.limits().permits(each).toCompletableFuture()));
            assertThat(get(() -> store.limits().names()).others())
                    .filteredOn(each -> each.startsWith(queue))
                    .hasSize(20);
        });
    }

    @Test
    void fanOutsAreSpreadOverTheNodesAndListedTogether() {
        new TestOwner(store, Partition.of(queue, 0), "one").acquire();
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", "", 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
        Set<String> ids = new TreeSet<>();
        Set<Integer> slots = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            String id = String.format(Locale.ROOT, "%08x%012x", queue.hashCode(), i);
            ids.add(id);
            slots.add(SlotHash.getSlot(RedisKeys.DEFAULTS.fanOut(id)[0]));
            List<FanOutRequest> asked = List.of(
                    new FanOutRequest.Open(id, 1, i == 0 ? queue : id, plan),
                    new FanOutRequest.Seal(id, 1, 2),
                    new FanOutRequest.Tell(id, 0, End.SUCCEEDED, null));
            await().ignoreExceptions()
                    .untilAsserted(() -> assertThat(store.fanOut(FanOutBuckets.of(id), asked)
                                    .toCompletableFuture()
                                    .join()
                                    .get(2)
                                    .code())
                            .isEqualTo(FanOutAnswer.Code.OK));
        }
        assertThat(slots).hasSize(FanOutBuckets.COUNT);

        Set<String> listed = new TreeSet<>();
        String cursor = "";
        do {
            FanOutAdmin.Found page = store.fanOuts().list(false, 7, cursor).join();
            page.records().forEach(each -> assertThat(listed.add(each.id())).isTrue());
            cursor = page.next() == null ? "" : page.next();
        } while (!cursor.isEmpty());
        assertThat(listed).containsAll(ids);
        assertThat(store.fanOuts().anyOf(queue).join()).isTrue();
        assertThat(store.fanOuts().anyOf("of no fan-out").join()).isFalse();
        assertThat(store.fanOuts().missing(ids.iterator().next(), 10).join()).containsExactly(1L);
    }

    @Test
    void schedulesAreFiredInAllPartsOfTheCluster() {
        ScheduleBook book = store.schedules();
        long now = 1_800_000_000_000L;
        List<String> ids = IntStream.range(0, 50).mapToObj(i -> queue + "." + i).toList();
        List<ScheduleBook.Announced> announced = ids.stream()
                .map(id -> new ScheduleBook.Announced(id, "v", "t", "{}"))
                .toList();
        // Each node is connected at the first request to it.
        await().ignoreExceptions()
                .until(() -> book.announce(now, now, announced)
                                .toCompletableFuture()
                                .join()
                                .size()
                        == 50);
        assertThat(book.claim(
                                now + 1_000,
                                "program",
                                ids.stream()
                                        .map(id -> new ScheduleBook.Claim(id, "v", now, now + 1_000, false))
                                        .toList())
                        .toCompletableFuture()
                        .join())
                .hasSize(50)
                .allMatch(each -> each.verdict() == ScheduleBook.Verdict.CLAIMED);
        book.mark(
                        now + 1_000,
                        "program",
                        ids.stream()
                                .map(id -> new ScheduleBook.Mark(id, now + 1_000, false, true, false, 0, false))
                                .toList())
                .toCompletableFuture()
                .join();
        assertThat(book.list().toCompletableFuture().join())
                .filteredOn(each -> ids.contains(each.id()))
                .hasSize(50)
                .allMatch(each -> each.fired() == now + 1_000 && each.firings() == 1);
    }

    /** Messages go to all nodes, whichever of them has the partition. */
    @Test
    void whoeverWaitsIsToldOfEndsInAllPartsOfTheCluster() {
        try (RedisStore other =
                open(RedisSettings.cluster(List.of(cluster.address().split(","))))) {
            other.taskEnds().lookOnlyOnce();
            for (int i = 0; i < 6; i++) {
                TestOwner owner = new TestOwner(store, Partition.of(queue, i), "one");
                owner.acquire();
                String id = "task-" + i;
                CompletableFuture<Optional<TaskView>> end = other.taskEnds().await(queue, id, Duration.ofSeconds(60));
                await().until(() -> store.taskEnds().announcer().isAwaited(queue, id));
                succeed(owner, id);
                assertThat(end.join().orElseThrow().state()).isEqualTo(TaskState.SUCCEEDED);
                owner.close();
            }
        }
    }

    private static void succeed(TestOwner owner, String id) {
        long token = owner.nextToken();
        Position position = Position.of(0, 1);
        owner.settleAndClaim(List.of(), List.of(new Claim(position, token, null, false)));
        SuccessRecord record = new SuccessRecord(id, null, null, 1, 1_800_000_000_000L, 1, "one", null);
        owner.settleAndClaim(
                List.of(new Settle(position, token, null, new SettledMark.Offset(1), new Verdict.Success(record), 0)),
                List.of());
    }

    /** Several executors are asked for in one command, so what they announce must be in one slot. */
    @Test
    void executorsSeeWhatOthersHaveHandlersFor() {
        Presence presence = store.presence();
        Map<String, Map<String, HandledTypes>> handled = new HashMap<>();
        List<HandlerPeer> peers = new ArrayList<>();
        List<Presence.Executor> executors = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String id = UniqueNames.fresh("executor");
            HandledTypes types = new HandledTypes(Set.of("ship", "refund-" + i), false);
            handled.put(id, Map.of(queue, types));
            executors.add(new Presence.Executor(id, "host", i, 0, Map.of(queue, 1)));
            peers.add(new HandlerPeer(id, i, true, types));
            get(() -> presence.announceHandlers(id, Map.of(queue, types)));
            get(() -> presence.announceUnhandled(id, Map.of(queue, types)));
            get(() -> presence.announceWorking(id, Set.of(queue)));
        }
        try (RedisStore other =
                open(RedisSettings.cluster(List.of(cluster.address().split(","))))) {
            Presence others = other.presence();
            // One that has not registered for some seconds counts as silent, so all do it, and again if that took too
            // long.
            await().untilAsserted(() -> {
                CompletableFuture.allOf(executors.stream()
                                .map(executor -> presence.beat(executor, false))
                                .toArray(CompletableFuture<?>[]::new))
                        .join();
                get(() -> presence.removeSilent());
                LiveExecutors live = new LiveExecutors();
                live.update(get(() -> others.executors()));
                live.learn(get(() -> others.handlers(live.withUnknownHandlers())));
                live.working(get(() -> others.working(live.ids())));

                assertThat(live.announcing(queue)).containsExactlyInAnyOrderElementsOf(peers);
            });
            assertThat(get(() -> others.unhandled(handled.keySet()))).isEqualTo(handled);
        }
        for (String id : handled.keySet()) {
            get(() -> presence.leave(id));
        }
        assertThat(get(() -> presence.handlers(handled.keySet()))).isEmpty();
        assertThat(get(() -> presence.unhandled(handled.keySet()))).isEmpty();
        assertThat(get(() -> presence.working(handled.keySet()))).isEmpty();
    }

    @Test
    void statisticsOfQueuesAreSpreadOverTheNodes() {
        Set<Integer> thirds = new HashSet<>();
        RunTally tally = new RunTally(new long[] {3, 2, 1}, DurationHistogram.EMPTY, DurationHistogram.EMPTY);
        for (int i = 0; i < 20; i++) {
            String each = queue + "-" + i;
            thirds.add(SlotHash.getSlot(RedisKeys.DEFAULTS.statistics(each)[0]) * 3 / SlotHash.SLOT_COUNT);
            get(() -> store.statistics().add(each, tally, Duration.ofDays(14)).thenApply(added -> true));
            RunTally total = get(() -> store.statistics().read(each, StatisticsStep.HOUR, 60, 336))
                    .total();
            // A request that fails while the client connects may have added it, too.
            assertThat(total.count(RunCount.STARTED)).isPositive();
        }
        assertThat(thirds).hasSize(3);
    }

    /** Asks again while the client connects to a node: requests fail until then, and executors repeat theirs. */
    private static <T> T get(Supplier<CompletableFuture<T>> request) {
        AtomicReference<T> result = new AtomicReference<>();
        await().ignoreExceptions().until(() -> {
            result.set(request.get().get(30, TimeUnit.SECONDS));
            return true;
        });
        return result.get();
    }
}
