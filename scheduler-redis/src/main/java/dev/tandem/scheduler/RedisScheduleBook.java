package dev.tandem.scheduler;

import dev.tandem.task.Utf8;
import dev.tandem.task.schedule.ScheduleBook;
import io.lettuce.core.ScoredValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The records of schedules in Redis, in buckets. Schedules of one bucket share a request, those of different buckets may be on
 * different nodes. Thread-safe.
 */
final class RedisScheduleBook implements ScheduleBook {

    /** Schedules of one script, so that none runs for long. */
    static final int AT_ONCE = 200;

    static final int MOST_IN_A_BUCKET = 2_000;

    /** Keeps the answer short that has all created schedules of a bucket. */
    static final int MOST_CREATED_IN_A_BUCKET = 128;

    private static final List<Integer> BUCKETS =
            IntStream.range(0, RedisKeys.SCHEDULE_BUCKETS).boxed().toList();

    private final AdminConnection connection;
    private final WakeupSubscriber wakeups;

    RedisScheduleBook(AdminConnection connection, WakeupSubscriber wakeups) {
        this.connection = connection;
        this.wakeups = wakeups;
    }

    /** Returns the bucket of a schedule. */
    static int bucket(String id) {
        CRC32 crc = new CRC32();
        crc.update(id.getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % RedisKeys.SCHEDULE_BUCKETS);
    }

    @Override
    public CompletionStage<Long> now() {
        return connection.now();
    }

    @Override
    public CompletionStage<List<Known>> announce(long now, long since, List<Announced> schedules) {
        return each(
                Script.ANNOUNCE_SCHEDULES,
                List.of(text(now), text(since), text(STALE_MILLIS), text(MOST_IN_A_BUCKET)),
                schedules,
                Announced::id,
                one -> List.of(
                        one.id(),
                        one.version(),
                        one.timing(),
                        one.definition() == null ? "" : one.definition(),
                        flag(one.created())),
                in -> new Known(Standing.values()[in.count()], in.number(), in.flag(), in.number(), in.number()));
    }

    @Override
    public CompletionStage<List<Claimed>> claim(long now, String program, List<Claim> claims) {
        return each(
                Script.CLAIM_FIRINGS,
                List.of(text(now), program, text(CLAIM_MILLIS)),
                claims,
                Claim::id,
                one -> List.of(one.id(), one.version(), text(one.fired()), text(one.instant()), flag(one.asked())),
                in -> new Claimed(Verdict.values()[in.count()], in.number(), in.number(), in.number()));
    }

    @Override
    public CompletionStage<Void> mark(long now, String program, List<Mark> marks) {
        return each(
                        Script.MARK_FIRINGS,
                        List.of(text(now), program),
                        marks,
                        Mark::id,
                        one -> List.of(
                                one.id(),
                                text(one.instant()),
                                flag(one.asked()),
                                flag(one.fired()),
                                flag(one.open()),
                                text(one.missed()),
                                flag(one.skipped())),
                        null)
                .thenApply(done -> null);
    }

    @Override
    public CompletionStage<Void> ended(long now, String id, long instant) {
        return changed(now, id, "ENDED", text(instant), "", "").thenApply(done -> null);
    }

    @Override
    public CompletionStage<Result> change(long now, String id, Change change) {
        return changedAndAnnounced(now, id, change.name(), "", "", "");
    }

    @Override
    public CompletionStage<Result> restore(long now, String id, String version) {
        return changedAndAnnounced(now, id, "RESTORE", text(MOST_IN_A_BUCKET), text(MOST_CREATED_IN_A_BUCKET), version);
    }

    private CompletionStage<Result> changedAndAnnounced(long now, String id, String... arguments) {
        return changed(now, id, arguments)
                .thenApply(reply -> Result.values()[reply.count()])
                .thenCompose(result -> announced(id, result));
    }

    @Override
    public CompletionStage<Optional<Deleted>> deleted(long now, String id) {
        return changed(now, id, "LOOK", "", "", "")
                .thenApply(reply -> Result.values()[reply.count()] == Result.DONE
                        ? Optional.of(new Deleted(reply.flag(), reply.text(), reply.text()))
                        : Optional.empty());
    }

    private CompletionStage<Result> announced(String id, Result result) {
        return connection
                .run(commands -> commands.publish(Utf8.bytes(connection.keys().schedulesChannel()), Utf8.bytes(id)))
                .handle((heard, failure) -> result);
    }

    @Override
    public CompletionStage<Result> define(long now, Definition definition, String expected) {
        byte[][] arguments = Stream.of(
                        text(now),
                        text(STALE_MILLIS),
                        text(MOST_IN_A_BUCKET),
                        text(MOST_CREATED_IN_A_BUCKET),
                        definition.id(),
                        expected,
                        definition.version(),
                        definition.timing(),
                        definition.definition(),
                        definition.payload())
                .map(Utf8::bytes)
                .toArray(byte[][]::new);
        return connection
                .runScript(Script.DEFINE_SCHEDULE, connection.keys().schedules(bucket(definition.id())), arguments)
                .thenApply(reply -> Result.values()[new ReplyReader(reply).count()])
                .thenCompose(result -> announced(definition.id(), result));
    }

    @Override
    public CompletionStage<Created> created(Created known) {
        return Futures.all(BUCKETS, bucket -> created(bucket, known)).thenApply(parts -> {
            if (parts.stream().allMatch(Optional::isEmpty)) {
                return known;
            }
            Map<Integer, String> revisions = new HashMap<>(known.revisions());
            Map<String, Definition> all = new TreeMap<>(known.schedules());
            for (int bucket : BUCKETS) {
                parts.get(bucket).ifPresent(part -> {
                    revisions.put(bucket, part.revisions().get(bucket));
                    all.keySet().removeIf(id -> bucket(id) == bucket);
                    all.putAll(part.schedules());
                });
            }
            return new Created(revisions, all);
        });
    }

    /** Returns the created schedules of a bucket; empty if they are known. */
    private CompletableFuture<Optional<Created>> created(int bucket, Created known) {
        String revision = known.revisions().getOrDefault(bucket, "0");
        return connection
                .runScript(Script.READ_CREATED_SCHEDULES, connection.keys().schedules(bucket), Utf8.bytes(revision))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    String current = in.text();
                    if (current.equals(revision)) {
                        return Optional.empty();
                    }
                    Map<String, Definition> all = new HashMap<>();
                    while (in.hasMore()) {
                        ReplyReader one = in.list();
                        Definition read = new Definition(one.text(), one.text(), one.text(), one.text(), one.text());
                        all.put(read.id(), read);
                    }
                    return Optional.of(new Created(Map.of(bucket, current), all));
                });
    }

    private CompletableFuture<ReplyReader> changed(long now, String id, String... arguments) {
        byte[][] all = Stream.concat(Stream.of(text(now), text(STALE_MILLIS), id), Stream.of(arguments))
                .map(Utf8::bytes)
                .toArray(byte[][]::new);
        return connection
                .runScript(Script.CHANGE_SCHEDULE, connection.keys().schedules(bucket(id)), all)
                .thenApply(ReplyReader::new);
    }

    @Override
    public AutoCloseable watch(Runnable changed) {
        String channel = connection.keys().schedulesChannel();
        wakeups.add(channel, changed);
        return () -> wakeups.remove(channel, changed);
    }

    @Override
    public CompletionStage<List<Entry>> list() {
        return Futures.all(BUCKETS, this::entries)
                .thenApply(lists -> lists.stream()
                        .flatMap(List::stream)
                        .sorted(Comparator.comparing(Entry::id))
                        .toList());
    }

    @Override
    public CompletionStage<Optional<Entry>> find(String id) {
        byte[][] keys = connection.keys().schedules(bucket(id));
        List<CompletableFuture<Map<String, String>>> hashes = IntStream.of(0, 2, 4, 5, 7, 8, 9)
                .mapToObj(key -> fields(keys[key], key == 8 ? totals(id) : List.of(id)))
                .toList();
        return connection
                .run(commands -> commands.zscore(keys[6], Utf8.bytes(id)))
                .thenCombine(
                        CompletableFuture.allOf(hashes.toArray(CompletableFuture[]::new)),
                        (seen, done) -> Optional.ofNullable(hashes.get(0).join().get(id))
                                .map(definition -> entry(
                                        id,
                                        definition,
                                        seen == null ? Map.of() : Map.of(id, seen.longValue()),
                                        hashes)));
    }

    private static List<String> totals(String id) {
        return List.of(id + " fired", id + " missed", id + " skipped");
    }

    private CompletableFuture<Map<String, String>> fields(byte[] key, List<String> names) {
        byte[][] fields = names.stream().map(Utf8::bytes).toArray(byte[][]::new);
        return connection.run(commands -> commands.hmget(key, fields)).thenApply(values -> {
            Map<String, String> texts = new HashMap<>();
            values.forEach(each -> {
                if (each.hasValue()) {
                    texts.put(text(each.getKey()), text(each.getValue()));
                }
            });
            return texts;
        });
    }

    private CompletableFuture<List<Entry>> entries(int bucket) {
        byte[][] keys = connection.keys().schedules(bucket);
        List<CompletableFuture<Map<String, String>>> hashes = IntStream.of(0, 2, 4, 5, 7, 8, 9)
                .mapToObj(key ->
                        connection.run(commands -> commands.hgetall(keys[key])).thenApply(RedisScheduleBook::texts))
                .toList();
        CompletableFuture<Map<String, Long>> seen = connection
                .run(commands -> commands.zrangeWithScores(keys[6], 0, -1))
                .thenApply(RedisScheduleBook::scores);
        return CompletableFuture.allOf(hashes.toArray(CompletableFuture[]::new))
                .thenCombine(
                        seen,
                        (done, scores) -> hashes.get(0).join().entrySet().stream()
                                .map(each -> entry(each.getKey(), each.getValue(), scores, hashes))
                                .toList());
    }

    private static Entry entry(
            String id, String definition, Map<String, Long> seen, List<CompletableFuture<Map<String, String>>> hashes) {
        ToLongFunction<Integer> time = hash -> number(hashes.get(hash).join(), id, NONE);
        Map<String, String> totals = hashes.get(5).join();
        return new Entry(
                id,
                definition,
                seen.getOrDefault(id, NONE),
                time.applyAsLong(1),
                time.applyAsLong(2),
                time.applyAsLong(3),
                time.applyAsLong(4),
                number(totals, id + " fired", 0),
                number(totals, id + " missed", 0),
                number(totals, id + " skipped", 0),
                hashes.get(6).join().containsKey(id));
    }

    private static long number(Map<String, String> all, String name, long otherwise) {
        String number = all.get(name);
        return number == null ? otherwise : Long.parseLong(number);
    }

    private static Map<String, String> texts(Map<byte[], byte[]> hash) {
        Map<String, String> texts = new HashMap<>();
        hash.forEach((name, value) -> texts.put(text(name), text(value)));
        return texts;
    }

    private static Map<String, Long> scores(List<ScoredValue<byte[]>> members) {
        Map<String, Long> scores = new HashMap<>();
        members.forEach(each -> scores.put(text(each.getValue()), (long) each.getScore()));
        return scores;
    }

    /**
     * Runs a script for items, those of a bucket together.
     *
     * @param reader reads the answer for one item; null if the script gives none
     * @return the answers in the order of the items
     */
    private <I, A> CompletableFuture<List<A>> each(
            Script script,
            List<String> first,
            List<I> items,
            Function<I, String> id,
            Function<I, List<String>> arguments,
            @Nullable Function<ReplyReader, A> reader) {
        Map<Integer, List<Integer>> byBucket = new TreeMap<>();
        for (int i = 0; i < items.size(); i++) {
            byBucket.computeIfAbsent(bucket(id.apply(items.get(i))), none -> new ArrayList<>())
                    .add(i);
        }
        List<List<Integer>> calls = new ArrayList<>();
        byBucket.values().forEach(indexes -> {
            for (int from = 0; from < indexes.size(); from += AT_ONCE) {
                calls.add(indexes.subList(from, Math.min(indexes.size(), from + AT_ONCE)));
            }
        });
        Map<Integer, A> answers = new HashMap<>();
        return Futures.all(calls, indexes -> {
                    List<String> all = new ArrayList<>(first);
                    indexes.forEach(index -> all.addAll(arguments.apply(items.get(index))));
                    int bucket = bucket(id.apply(items.get(indexes.get(0))));
                    return connection.runScript(
                            script,
                            connection.keys().schedules(bucket),
                            all.stream().map(Utf8::bytes).toArray(byte[][]::new));
                })
                .thenApply(replies -> {
                    if (reader == null) {
                        return List.of();
                    }
                    for (int i = 0; i < calls.size(); i++) {
                        ReplyReader in = new ReplyReader(replies.get(i));
                        calls.get(i).forEach(index -> answers.put(index, reader.apply(in.list())));
                    }
                    return IntStream.range(0, items.size())
                            .mapToObj(answers::get)
                            .toList();
                });
    }

    private static String text(long number) {
        return Long.toString(number);
    }

    private static String flag(boolean flag) {
        return flag ? "1" : "0";
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
