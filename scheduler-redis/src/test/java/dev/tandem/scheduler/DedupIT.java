package dev.tandem.scheduler;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.DedupModel;
import dev.tandem.task.store.DedupPolicy;
import dev.tandem.task.store.DedupPolicy.Mode;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DedupRequest.Ending;
import dev.tandem.task.store.DependencyAnswer;
import dev.tandem.task.store.DependencyRequest;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.TaskIdentity;
import dev.tandem.task.store.WrongTypeException;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.KillArgs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares what Redis says of deduplication keys with the model at every step. */
class DedupIT extends OperatorTestBase {

    private static final int STEPS = 1_500;

    private static List<Object> call(String queue, List<DedupRequest> requests) {
        int bucket = DedupBuckets.of(queue, requests.get(0).key());
        byte[][] keys = requests.stream()
                .map(each -> RedisKeys.DEFAULTS.dedup(queue, bucket, each.key()))
                .toArray(byte[][]::new);
        return get(store.adminConnection()
                .runScript(
                        Script.DEDUPLICATE,
                        keys,
                        requests.stream().map(DedupCodec::encode).toArray(byte[][]::new)));
    }

    private static List<Object> callWaits(List<DependencyRequest> requests) {
        byte[][] keys = requests.stream()
                .map(DependencyRequest::on)
                .flatMap(on -> Stream.of(
                        RedisKeys.DEFAULTS.dedup(on.queue(), DedupBuckets.of(on), on.key()),
                        RedisKeys.DEFAULTS.waiting(on.queue(), DedupBuckets.of(on), on.key())))
                .toArray(byte[][]::new);
        return get(store.adminConnection()
                .runScript(
                        Script.ASK_DEPENDENCIES,
                        keys,
                        requests.stream().map(DependencyCodec::encode).toArray(byte[][]::new)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void answersAsTheModelDoes(long seed) {
        String name = UniqueNames.fresh("dedup");
        DedupModel model = new DedupModel();
        Random random = new Random(seed);
        for (int step = 0; step < STEPS; step++) {
            List<DedupRequest> requests = new ArrayList<>();
            String key = "id-" + random.nextInt(3);
            for (int i = 0; i <= random.nextInt(3); i++) {
                requests.add(request(key, random, seed % 2 == 0));
            }

            if (random.nextInt(3) == 0) {
                compareWaits(seed, step, model, random, new BusinessId(name, key));
                continue;
            }
            List<Object> reply = call(name, requests);

            long now = (Long) reply.get(1);
            List<DedupAnswer> expected =
                    requests.stream().map(each -> model.apply(name, each, now)).toList();
            assertThat(DedupCodec.decode(reply))
                    .as("seed %s step %s: %s", seed, step, requests)
                    .isEqualTo(expected);
        }
    }

    private static void compareWaits(long seed, int step, DedupModel model, Random random, BusinessId on) {
        List<DependencyRequest> requests = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(3); i++) {
            TaskPlace task =
                    new TaskPlace(Partition.of("waiting", random.nextInt(2)), Position.of(0, random.nextInt(2)));
            int what = random.nextInt(8);
            requests.add(
                    what == 0
                            ? new DependencyRequest.Over(on, task)
                            : what == 1
                                    ? new DependencyRequest.Later(on, task, random.nextInt(10))
                                    : what == 2
                                            ? new DependencyRequest.Released(on, task)
                                            : new DependencyRequest.Ask(on, task, random.nextInt(100), 0));
        }
        List<Object> reply = callWaits(requests);
        long now = (Long) reply.get(1);
        List<DependencyAnswer> expected =
                requests.stream().map(each -> model.apply(each, now)).toList();
        assertThat(DependencyCodec.decode(reply))
                .as("seed %s step %s: %s", seed, step, requests)
                .isEqualTo(expected);
        assertThat(listed(on)).as("seed %s step %s: %s", seed, step, requests).isEqualTo(model.dependentsOf(on));
    }

    /** Returns the tasks that are woken when the one with an id ends. */
    private static Set<TaskPlace> listed(BusinessId on) {
        byte[][] keys = {RedisKeys.DEFAULTS.waiting(on.queue(), DedupBuckets.of(on), on.key())};
        ReplyReader in = new ReplyReader(get(store.adminConnection()
                .runScript(
                        Script.LIST_DEPENDENTS,
                        keys,
                        "0".getBytes(StandardCharsets.UTF_8),
                        "100".getBytes(StandardCharsets.UTF_8))));
        assertThat(in.text()).isEqualTo("0");
        Set<TaskPlace> those = new HashSet<>();
        while (in.hasMore()) {
            TaskPlace waiter = new TaskPlace(new Partition(in.text(), in.text()), in.position());
            in.number();
            if (!in.flag()) {
                those.add(waiter);
            }
        }
        return those;
    }

    @Test
    void theEndOfATaskIsRememberedForThoseThatComeLater() {
        TaskIdentity task = new TaskIdentity("0", Position.of(0, 1), "0/1", false, false, "one", 0);
        DedupPolicy policy = DedupPolicy.DEFAULT.withKept(7_200_000);
        call(queue, List.of(new DedupRequest.Ask("late", task, true, 0, policy)));
        call(queue, List.of(new DedupRequest.Tell("late", task, Ending.SUCCEEDED, 0)));
        assertThat(millisToLive("late")).as("until nobody may ask any more").isBetween(7_190_000L, 7_201_000L);
    }

    @Test
    void endsAreRememberedForAsLongAsTasksWaitForThoseOfTheQueueUnlessItSaysSo() {
        tellSuccess("before", 0);
        assertThat(millisToLive("before")).isBetween(590_000L, 601_000L);

        BusinessId on = new BusinessId(queue, "unknown");
        TaskPlace waiter = new TaskPlace(Partition.of("waiting", 0), Position.of(0, 1));
        DependencyRequest ask = new DependencyRequest.Ask(on, waiter, 86_400_000, 0);
        get(store.dependencies().ask(DedupBuckets.of(on), List.of(ask)));
        await().until(this::allKnowTheLongestWait);
        for (int i = 0; i < 10; i++) {
            tellSuccess("id-" + i, 0);
            assertThat(millisToLive("id-" + i)).isBetween(86_390_000L, 86_401_000L);
        }
        tellSuccess("short", 1_200_000);
        assertThat(millisToLive("short")).as("as its queue says").isBetween(1_190_000L, 1_201_000L);
    }

    private boolean allKnowTheLongestWait() {
        return longestWaits()
                .allMatch(each -> get(store.adminConnection().run(commands -> commands.exists(each))) == 1);
    }

    private Stream<byte[]> longestWaits() {
        return IntStream.range(0, DedupBuckets.COUNT).mapToObj(bucket -> RedisKeys.DEFAULTS.longestWait(queue, bucket));
    }

    @Test
    void theBucketsAreToldOfWaitsAgainBehindANewConnection() {
        BusinessId on = new BusinessId(queue, "unknown");
        TaskPlace waiter = new TaskPlace(Partition.of("waiting", 0), Position.of(0, 1));
        List<DependencyRequest> asks = List.of(new DependencyRequest.Ask(on, waiter, 86_400_000, 0));
        try (RedisStore process =
                RedisStore.open(RedisSettings.of(Brokers.redis().uri()))) {
            get(process.dependencies().ask(DedupBuckets.of(on), asks));
            await().until(this::allKnowTheLongestWait);
            longestWaits().forEach(each -> get(store.adminConnection().run(commands -> commands.del(each))));

            long connection = get(process.adminConnection().run(commands -> commands.clientId()));
            get(store.adminConnection().run(commands -> commands.clientKill(KillArgs.Builder.id(connection))));
            await().ignoreExceptions().until(() -> {
                get(process.dependencies().ask(DedupBuckets.of(on), asks));
                return allKnowTheLongestWait();
            });
        }
    }

    private void tellSuccess(String key, long kept) {
        DedupRequest end = new DedupRequest.Tell(key, record(1), Ending.SUCCEEDED, 0, kept);
        get(store.dedup(queue, DedupBuckets.of(queue, key), List.of(end)).toCompletableFuture());
    }

    private long millisToLive(String key) {
        byte[] redisKey = RedisKeys.DEFAULTS.dedup(queue, DedupBuckets.of(queue, key), key);
        return get(store.adminConnection().run(commands -> commands.pttl(redisKey)));
    }

    @Test
    void whoWasReleasedByAnEarlierTaskIsNotHeldUpByTheNextOneWithItsKey() {
        BusinessId on = new BusinessId(queue, "id");
        TaskPlace waiter = new TaskPlace(Partition.of("waiting", 0), Position.of(0, 1));
        callWaits(List.of(new DependencyRequest.Ask(on, waiter, 60_000, 0)));
        assertThat(get(store.dependencies().of(waiter, on)).isMissed()).isTrue();
        call(queue, List.of(ask(1, DedupPolicy.DEFAULT)));
        assertThat(get(store.dependencies().of(waiter, on)).holdsUp()).isTrue();

        call(queue, List.of(new DedupRequest.Tell("id", record(1), Ending.SUCCEEDED, 0), ask(2, DedupPolicy.DEFAULT)));
        assertThat(get(store.dependencies().of(waiter, on)).holdsUp()).isFalse();
    }

    /** Makes a request about one of a few tasks. Times are so short that some pass while the test runs. */
    private static DedupRequest request(String key, Random random, boolean log) {
        int number = random.nextInt(5);
        String partition = Integer.toString(random.nextInt(2));
        boolean named = !log && number > 2;
        Position position = new Position(
                log ? random.nextInt(2) + ":" + number : (named ? "m" : "h") + number % 4 + ":w." + random.nextInt(3));
        String identity = log ? partition + "/" + number : (named ? "m" : "h") + number % 4;
        boolean fresh = !log && random.nextBoolean();
        TaskIdentity task =
                new TaskIdentity(partition, position, identity, named, fresh, "task-" + position, random.nextInt(3));
        int what = random.nextInt(10);
        long delay = random.nextInt(4) == 0 ? random.nextInt(20) : 0;
        if (what < 4) {
            Ending ending = Ending.values()[random.nextInt(3)];
            return new DedupRequest.Tell(key, task, ending, delay, random.nextInt(2) * 650_000);
        }
        Mode mode = random.nextInt(3) > 0 ? Mode.FIRST : Mode.values()[random.nextInt(3)];
        DedupPolicy policy = new DedupPolicy(
                mode,
                random.nextBoolean() ? 0 : random.nextInt(15),
                random.nextBoolean(),
                random.nextBoolean() ? 0 : random.nextInt(10),
                random.nextBoolean(),
                1 + random.nextInt(20),
                random.nextInt(2) * 700_000);
        return new DedupRequest.Ask(key, task, what < 7, delay, policy);
    }

    @Test
    void aKeyWithSteadyTrafficForgetsDuplicatesThatAreOver() {
        String key = "hot";
        byte[] redisKey = RedisKeys.DEFAULTS.dedup(queue, DedupBuckets.of(queue, key), key);
        DedupPolicy policy = new DedupPolicy(Mode.KEEP_LAST, 0, true, 0, true, 60_000);
        call(queue, List.of(new DedupRequest.Ask(key, record(1), false, 0, policy)));
        Map<byte[], byte[]> marks = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            long neededUntil = System.currentTimeMillis() + (i < 10 ? 3_600_000 : -1_000);
            marks.put(("l0/0:x" + i).getBytes(UTF_8), (neededUntil + " other").getBytes(UTF_8));
        }
        get(store.adminConnection().run(commands -> commands.hset(redisKey, marks)));

        call(queue, List.of(new DedupRequest.Ask(key, record(2), false, 0, policy)));

        long fields = get(store.adminConnection().run(commands -> commands.hlen(redisKey)));
        assertThat(fields)
                .as("the bearer, those that are needed, and the one before")
                .isEqualTo(12);
        List<Object> reply = call(queue, List.of(new DedupRequest.Ask(key, record(1), true, 0, policy)));
        assertThat(DedupCodec.decode(reply)).containsExactly(new DedupAnswer.Duplicate("task-2"));
    }

    @Test
    void anOperatorFreesAKeyAndDuplicatesStayDuplicates() {
        DedupPolicy policy = new DedupPolicy(Mode.FIRST, 0, true, 60_000, true, 60_000);
        assertThat(get(store.admin().freeDedupKey(queue, "id"))).as("unknown").isFalse();
        call(queue, List.of(ask(1, policy), ask(2, policy)));

        assertThat(get(store.admin().freeDedupKey(queue, "id"))).isTrue();
        assertThat(get(store.admin().freeDedupKey(queue, "id"))).isFalse();

        List<Object> reply = call(queue, List.of(ask(3, policy), ask(2, policy), ask(1, policy)));
        assertThat(DedupCodec.decode(reply))
                .containsExactly(
                        DedupAnswer.Go.INSTANCE,
                        new DedupAnswer.Duplicate("task-1"),
                        new DedupAnswer.Duplicate("task-3"));
        call(queue, List.of(new DedupRequest.Tell("id", record(3), Ending.SUCCEEDED, 0)));
        assertThat(get(store.admin().freeDedupKey(queue, "id")))
                .as("taken for its retention")
                .isTrue();
        assertThat(DedupCodec.decode(call(queue, List.of(ask(4, policy))))).containsExactly(DedupAnswer.Go.INSTANCE);
    }

    @Test
    void aDuplicateThatComesAgainInAnotherPlaceIsOneTask() {
        DedupPolicy policy = DedupPolicy.DEFAULT;
        call(queue, List.of(new DedupRequest.Ask("twice", message("m1", 1, true), false, 0, policy)));
        for (TaskIdentity copy : List.of(message("m2", 2, true), message("m2", 3, false), message("m2", 4, false))) {
            assertThat(DedupCodec.decode(call(queue, List.of(new DedupRequest.Ask("twice", copy, false, 0, policy)))))
                    .containsExactly(new DedupAnswer.Duplicate("m1"));
        }
        assertThat(get(store.inspector().dedupKey(queue, "twice")))
                .hasValueSatisfying(key -> assertThat(key.others()).isEqualTo(1));
    }

    private static TaskIdentity message(String id, int place, boolean fresh) {
        return new TaskIdentity("0", Position.of(0, place), TaskIdentity.NAMED + id, true, fresh, id, 0);
    }

    private static DedupRequest ask(int number, DedupPolicy policy) {
        return new DedupRequest.Ask("id", record(number), false, 0, policy);
    }

    private static TaskIdentity record(int number) {
        return TaskIdentity.of("0", Position.of(0, number), false, "task-" + number);
    }

    @Test
    void aTaskThatReplacesARescheduledOneWaitsForItsNewTime() {
        DedupPolicy policy = new DedupPolicy(Mode.REPLACE, 0, true, 0, true, 60_000);
        Task first = new Task(null, queue, null, null, new byte[1], Map.of(), 0, FAR, 0, 0, "id");
        hand(List.of(new HandOver(
                Position.of(0, 1),
                null,
                new SettledMark.Offset(1),
                new Move.Schedule(FAR),
                Envelope.of(first).encode())));
        call(queue, List.of(new DedupRequest.Ask("id", record(1), false, 3_600_000, policy)));
        TaskView seen =
                get(store.inspector().task(partition, Position.of(0, 1))).orElseThrow();

        long dueAt = System.currentTimeMillis() + 60_000;
        assertThat(get(store.admin().reschedule(seen, dueAt))).isEqualTo(Admin.Result.DONE);

        call(queue, List.of(ask(2, policy)));
        List<Object> reply = call(queue, List.of(new DedupRequest.Ask("id", record(2), true, 0, policy)));
        assertThat(DedupCodec.decode(reply).get(0))
                .isInstanceOfSatisfying(
                        DedupAnswer.Wait.class,
                        wait -> assertThat(wait.millis()).isBetween(1L, 61_000L));
    }

    @Test
    void aKeyOfAnotherTypeIsNamedAsTheReason() {
        byte[] redisKey = RedisKeys.DEFAULTS.dedup(queue, DedupBuckets.of(queue, "id"), "id");
        get(store.adminConnection().run(commands -> commands.set(redisKey, "not ours".getBytes(UTF_8))));
        List<DedupRequest> requests = List.of(ask(1, DedupPolicy.DEFAULT));

        assertThat(store.dedup(queue, DedupBuckets.of(queue, "id"), requests))
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(WrongTypeException.class)
                .withMessageContaining("tandem:{~dedup/");

        get(store.adminConnection().run(commands -> commands.del(redisKey)));
        assertThat(store.dedup(queue, DedupBuckets.of(queue, "id"), requests))
                .succeedsWithin(Duration.ofSeconds(60))
                .isEqualTo(List.of(DedupAnswer.Go.INSTANCE));
    }

    @Test
    void whatIsKnownOfAKeyGoesByItself() {
        String key = "id";
        TaskIdentity task = new TaskIdentity("0", Position.of(0, 1), "0/1", false, false, "one", 0);
        DedupPolicy policy = new DedupPolicy(Mode.FIRST, 0, true, 0, true, 60_000);

        call(queue, List.of(new DedupRequest.Ask(key, task, false, 5_000, policy)));

        byte[] redisKey = RedisKeys.DEFAULTS.dedup(queue, DedupBuckets.of(queue, key), key);
        long ttl = get(store.adminConnection().run(commands -> commands.pttl(redisKey)));
        assertThat(ttl).as("until it counts as lost").isBetween(60_000L, 66_000L);
        call(queue, List.of(new DedupRequest.Tell(key, task, Ending.SUCCEEDED, 0)));
        ttl = get(store.adminConnection().run(commands -> commands.pttl(redisKey)));
        assertThat(ttl).as("ten minutes after the end").isBetween(590_000L, 601_000L);
    }
}
