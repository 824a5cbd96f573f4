package dev.tandem.runtime.schedules;

import static dev.tandem.runtime.schedules.ScheduleFixtures.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.local.LocalRedis;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Announced;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Claim;
import dev.tandem.task.schedule.ScheduleBook.Created;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import dev.tandem.task.schedule.ScheduleBook.Deleted;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.schedule.ScheduleBook.Mark;
import dev.tandem.task.schedule.ScheduleBook.Result;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The scripts of schedules against the model, request by request. */
@Execution(ExecutionMode.CONCURRENT)
class ScheduleBookIT {

    private static final int REQUESTS = 3_000;

    @Test
    void theScriptsDoWhatTheModelDoes() {
        compare(Brokers.redis().uri(), 1);
    }

    @Test
    void theScriptsDoWhatTheModelDoesOnTheOldestSupportedRedis() {
        compare(Brokers.oldestRedis().uri(), 2);
    }

    @Test
    void whatIsSubmittedIsMarkedAlsoWhileMemoryIsFull() {
        long now = at("2026-11-23T10:00:00Z");
        try (LocalRedis redis = Brokers.ownRedis();
                RedisStore store = RedisStore.open(RedisSettings.of(redis.address()))) {
            ScheduleBook book = store.schedules();
            get(book.announce(now, now, List.of(new Announced("full", "v", "t", "{}"))));
            get(book.claim(now, "program", List.of(new Claim("full", "v", now, now + 1_000, false))));
            setMaxMemory(redis, "1");

            get(book.mark(now, "program", List.of(new Mark("full", now + 1_000, false, true, false, 0, false))));
            assertThat(get(book.list()))
                    .singleElement()
                    .extracting(Entry::fired)
                    .isEqualTo(now + 1_000);
            assertThatThrownBy(() -> get(book.claim(
                            now, "program", List.of(new Claim("full", "v", now + 1_000, now + 2_000, false)))))
                    .hasMessageContaining("OOM");
            setMaxMemory(redis, "0");
        }
    }

    @Test
    void whatWasDeletedIsRestoredNoMoreOnceAnotherScheduleHasItsId() {
        long now = at("2026-11-23T10:00:00Z");
        try (LocalRedis redis = Brokers.ownRedis();
                RedisStore store = RedisStore.open(RedisSettings.of(redis.address()))) {
            ScheduleBook book = store.schedules();
            EarlierServer earlier = new EarlierServer(redis);
            Announced first = new Announced("report", "v1", "t", "{\"definition\": 1}");
            get(book.announce(now, now, List.of(first)));
            get(book.change(now + 100_000, "report", Change.FORGET));
            assertThat(get(book.deleted(now + 100_000, "report"))).isPresent();

            get(book.announce(now + 100_001, now, List.of(new Announced("report", "v2", "t", "{\"definition\": 2}"))));
            earlier.deletes("report", false);
            assertThat(get(book.deleted(now + 200_001, "report"))).isEmpty();
            assertThat(get(book.restore(now + 200_001, "report", "v2"))).isEqualTo(Result.NOT_FOUND);

            define(book, now + 200_002, "report", "v3");
            get(book.change(now + 200_003, "report", Change.FORGET));
            assertThat(earlier.keeps("report")).isTrue();
            define(book, now + 200_004, "report", "v4");
            assertThat(earlier.keeps("report")).isFalse();
        }
    }

    @Test
    void anotherDefinitionThatWasDeletedMeanwhileIsNotRestored() {
        long now = at("2026-11-23T10:00:00Z");
        try (LocalRedis redis = Brokers.ownRedis();
                RedisStore store = RedisStore.open(RedisSettings.of(redis.address()))) {
            ScheduleBook book = store.schedules();
            define(book, now, "report", "v1");
            get(book.change(now, "report", Change.FORGET));
            assertThat(get(book.deleted(now, "report"))).hasValue(new Deleted(true, "v1", "{\"definition\": \"v1\"}"));
            define(book, now, "report", "v2");
            get(book.change(now, "report", Change.FORGET));

            assertThat(get(book.restore(now, "report", "v1"))).isEqualTo(Result.DIFFERS);
            assertThat(get(book.find("report"))).isEmpty();
            assertThat(get(book.restore(now, "report", "v2"))).isEqualTo(Result.DONE);
        }
    }

    @Test
    void nothingIsRestoredAfterAnEarlierServerHasChangedCreatedSchedules() {
        long now = at("2026-11-23T10:00:00Z");
        try (LocalRedis redis = Brokers.ownRedis();
                RedisStore store = RedisStore.open(RedisSettings.of(redis.address()))) {
            ScheduleBook book = store.schedules();
            EarlierServer earlier = new EarlierServer(redis);
            for (String id : List.of("one", "other")) {
                define(book, now, id, "v1");
                get(book.change(now, id, Change.FORGET));
                define(book, now, ofTheSameBucket(id, 1), "v1");
                assertThat(get(book.deleted(now, id))).as(id).isPresent();
            }
            earlier.creates("one", "v2");
            earlier.deletes("one", true);
            assertThat(get(book.deleted(now, "one"))).isEmpty();
            assertThat(get(book.restore(now, "one", "v2"))).isEqualTo(Result.NOT_FOUND);

            // Neither a later change nor a later deletion makes what is kept the latest again.
            define(book, now, ofTheSameBucket("one", 1), "v2");
            assertThat(get(book.deleted(now, "one"))).isEmpty();
            get(book.change(now, ofTheSameBucket("one", 1), Change.FORGET));
            assertThat(get(book.deleted(now, ofTheSameBucket("one", 1)))).isPresent();
            assertThat(get(book.deleted(now, "one"))).isEmpty();

            earlier.creates("other", "v2");
            earlier.deletes("other", true);
            String third = ofTheSameBucket("other", 2);
            get(book.announce(now, now, List.of(new Announced(third, "v1", "t", "{}"))));
            get(book.change(now + 100_000, third, Change.FORGET));
            assertThat(get(book.deleted(now + 100_000, third))).isPresent();
            assertThat(get(book.deleted(now + 100_000, "other"))).isEmpty();
        }
    }

    private static void define(ScheduleBook book, long now, String id, String version) {
        Definition definition = new Definition(id, version, "t", "{\"definition\": \"" + version + "\"}", "payload");
        assertThat(get(book.define(now, definition, ScheduleBook.ANY_VERSION))).isEqualTo(Result.DONE);
    }

    private static String ofTheSameBucket(String id, int number) {
        return IntStream.iterate(1, each -> each + 1)
                .mapToObj(each -> id + each)
                .filter(each -> EarlierServer.bucket(each) == EarlierServer.bucket(id))
                .skip(number - 1L)
                .findFirst()
                .orElseThrow();
    }

    private static void setMaxMemory(LocalRedis redis, String bytes) {
        RedisClient client = RedisClient.create(redis.address());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.sync().configSet("maxmemory", bytes);
        } finally {
            client.shutdown();
        }
    }

    private static void compare(String uri, int seed) {
        List<String> ids = IntStream.range(0, 4)
                .mapToObj(each -> UniqueNames.fresh("schedule") + "." + each)
                .toList();
        try (RedisStore store = RedisStore.open(RedisSettings.of(uri))) {
            ScheduleBook real = store.schedules();
            ScheduleBook model = new ModelScheduleBook();
            Random random = new Random(seed);
            long now = at("2026-11-23T10:00:00Z");
            Created known = Created.NONE;
            for (int i = 0; i < REQUESTS; i++) {
                now += random.nextInt(20) == 0 ? random.nextInt(100_000) : random.nextInt(1_500);
                Request request = request(random, now, ids, of(model, ids));
                assertThat(get(request.on(real))).as("%d: %s", i, request).isEqualTo(get(request.on(model)));
                if (i % 20 == 0) {
                    assertThat(of(real, ids)).as("after %d", i).isEqualTo(of(model, ids));
                    assertThat(get(real.find(ids.get(0)))).isEqualTo(get(model.find(ids.get(0))));
                    known = get(real.created(known));
                    assertThat(known.schedules().entrySet().stream()
                                    .filter(each -> ids.contains(each.getKey()))
                                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)))
                            .as("after %d", i)
                            .isEqualTo(get(model.created(Created.NONE)).schedules());
                }
            }
            assertThat(of(model, ids)).extracting(Entry::firings).allMatch(each -> each > 0);
        }
    }

    private interface Request {
        CompletionStage<?> on(ScheduleBook book);
    }

    private static Request request(Random random, long now, List<String> ids, List<Entry> stored) {
        String program = "program-" + random.nextInt(3);
        switch (random.nextInt(9)) {
            case 0, 1 -> {
                List<Announced> all = some(random, ids).stream()
                        .map(each -> announced(random, each))
                        .toList();
                long since = random.nextInt(3);
                return book -> book.announce(now, since, all);
            }
            case 2, 3, 4 -> {
                List<Claim> all = some(random, ids).stream()
                        .map(each -> claim(random, each, stored))
                        .toList();
                return book -> book.claim(now, program, all);
            }
            case 5, 6 -> {
                List<Mark> all = some(random, ids).stream()
                        .map(each -> mark(random, each, stored))
                        .toList();
                return book -> book.mark(now, program, all);
            }
            case 7 -> {
                String id = ids.get(random.nextInt(ids.size()));
                int version = random.nextInt(1, 3);
                Definition definition = new Definition(
                        id,
                        "v" + version,
                        "t" + version % 2,
                        "{\"definition\": " + version + "}",
                        "payload " + version);
                String expected = List.of(ScheduleBook.NO_VERSION, ScheduleBook.ANY_VERSION, "v1", "v2")
                        .get(random.nextInt(4));
                return book -> book.define(now, definition, expected);
            }
            default -> {
                String id = ids.get(random.nextInt(ids.size()));
                if (random.nextInt(4) == 0) {
                    long open = entry(id, stored) == null || random.nextBoolean()
                            ? 5
                            : entry(id, stored).open();
                    return book -> book.ended(now, id, open);
                }
                switch (random.nextInt(6)) {
                    case 0 -> {
                        return book -> book.deleted(now, id);
                    }
                    case 1 -> {
                        String version = "v" + random.nextInt(1, 3);
                        return book -> book.restore(now, id, version);
                    }
                    default -> {}
                }
                Change change = Change.values()[random.nextInt(Change.values().length)];
                return book -> book.change(now, id, change);
            }
        }
    }

    private static List<String> some(Random random, List<String> ids) {
        return ids.stream().filter(each -> random.nextInt(3) > 0).toList();
    }

    private static Announced announced(Random random, String id) {
        int version = random.nextInt(4) == 0 ? 1 : 2;
        boolean sends = random.nextInt(3) > 0;
        return new Announced(
                id,
                "v" + version,
                "t" + version % 2,
                sends ? "{\"definition\": " + version + "}" : null,
                random.nextInt(4) == 0);
    }

    private static Claim claim(Random random, String id, List<Entry> stored) {
        Entry entry = entry(id, stored);
        boolean asked = entry != null && entry.asked() > 0 && random.nextBoolean();
        long fired = entry == null || random.nextInt(8) == 0 ? 1_000 : entry.fired();
        return new Claim(
                id,
                "v" + (random.nextInt(4) == 0 ? 1 : 2),
                fired,
                asked ? entry.asked() : fired + 1_000L * random.nextInt(3),
                asked);
    }

    private static Mark mark(Random random, String id, List<Entry> stored) {
        Entry entry = entry(id, stored);
        boolean asked = entry != null && entry.asked() > 0 && random.nextBoolean();
        long instant = entry == null ? 1_000 : asked ? entry.asked() : entry.fired() + 1_000L * random.nextInt(-1, 3);
        boolean fires = random.nextBoolean();
        return new Mark(
                id,
                instant,
                asked,
                fires,
                fires && random.nextBoolean(),
                random.nextInt(3),
                !fires && random.nextBoolean());
    }

    private static List<Entry> of(ScheduleBook book, List<String> ids) {
        return get(book.list()).stream().filter(each -> ids.contains(each.id())).toList();
    }

    private static Entry entry(String id, List<Entry> all) {
        return all.stream().filter(each -> each.id().equals(id)).findFirst().orElse(null);
    }

    private static <T> T get(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }
}
