package dev.tandem.scheduler;

import io.lettuce.core.ScoredValue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The records of operations on many tasks: who asked for what, how far it is, and which program runs it. A program claims an
 * operation for {@link #CLAIM}; if it does not hold on to the claim, another one goes on. Thread-safe.
 */
public final class OperationBook {

    /** The time for which a claim holds. */
    public static final Duration CLAIM = Duration.ofSeconds(10);

    /** The most operations that may be open at once. */
    public static final int MOST_OPEN = 20;

    /** How long an operation is kept that has ended, and how many of them. */
    private static final Duration KEPT = Duration.ofDays(7);

    private static final int MOST_KEPT = 200;

    /** The same of those that only count: each question before a change is one, and they must not displace the changes. */
    private static final Duration COUNTS_KEPT = Duration.ofDays(1);

    private static final int MOST_COUNTS_KEPT = 50;

    private static final String GOES_ON = "0";
    private static final String HAS_ENDED = "1";
    private static final String HAS_COUNTED = "2";

    /** The result of a request to begin an operation. */
    public enum Begun {
        BEGUN,
        /** The same operation has this id already. */
        KNOWN,
        /** Another operation has this id. */
        DIFFERS,
        /** {@link #MOST_OPEN} are open. */
        NO_ROOM
    }

    /** The result of a request to stop an operation. */
    public enum Stop {
        STOPPING,
        ENDED,
        UNKNOWN
    }

    /**
     * The record of an operation.
     *
     * @param name queue, slash and id
     * @param beganMicros when it began, by Redis's clock
     * @param progress null if nobody has noted any yet
     * @param stopping whether it is to stop
     * @param program who runs it; null if nobody does
     * @param endedAt epoch milliseconds; 0 if it is open
     */
    public record Entry(
            String name,
            long beganMicros,
            String definition,
            @Nullable String progress,
            boolean stopping,
            @Nullable String program,
            long endedAt) {}

    /** @param ours whether the claim is still this program's; if not, nothing was noted */
    public record Noted(boolean ours, boolean stopping) {}

    private final AdminConnection connection;

    OperationBook(AdminConnection connection) {
        this.connection = connection;
    }

    /** Begins an operation. From now on any program may claim it. */
    public CompletableFuture<Begun> begin(String name, String definition) {
        return run(
                        Script.BEGIN_OPERATION,
                        name,
                        definition,
                        Integer.toString(MOST_OPEN),
                        Long.toString(KEPT.toMillis()),
                        Integer.toString(MOST_KEPT),
                        Long.toString(COUNTS_KEPT.toMillis()),
                        Integer.toString(MOST_COUNTS_KEPT))
                .thenApply(in -> switch (in.count()) {
                    case ScriptCodes.OPERATION_BEGUN -> Begun.BEGUN;
                    case ScriptCodes.OPERATION_KNOWN -> Begun.KNOWN;
                    case ScriptCodes.OPERATION_DIFFERS -> Begun.DIFFERS;
                    default -> Begun.NO_ROOM;
                });
    }

    /** Claims the operation that waits longest for a program; empty if none does. */
    public CompletableFuture<Optional<Entry>> claim(String program) {
        return run(Script.CLAIM_OPERATION, program, Long.toString(CLAIM.toMillis()))
                .thenApply(in -> {
                    if (!in.hasMore()) {
                        return Optional.empty();
                    }
                    String name = in.text();
                    String begun = in.text();
                    String progress = in.text();
                    return Optional.of(new Entry(
                            name,
                            micros(begun),
                            definition(begun),
                            progress.isEmpty() ? null : progress,
                            in.flag(),
                            program,
                            0));
                });
    }

    /** Notes how far an operation is, and holds on to the claim. */
    public CompletableFuture<Noted> note(String name, String program, String progress) {
        return note(name, program, progress, CLAIM.toMillis(), GOES_ON);
    }

    /** Notes how far an operation is, and gives the claim up. */
    public CompletableFuture<Noted> giveUp(String name, String program, String progress) {
        return note(name, program, progress, 0, GOES_ON);
    }

    /** Ends an operation. */
    public CompletableFuture<Noted> end(String name, String program, String progress) {
        return note(name, program, progress, 0, HAS_ENDED);
    }

    /** Ends an operation that only counts. It is kept for a day, and does not displace those that change something. */
    public CompletableFuture<Noted> endCount(String name, String program, String progress) {
        return note(name, program, progress, 0, HAS_COUNTED);
    }

    private CompletableFuture<Noted> note(String name, String program, String progress, long claim, String now) {
        return run(Script.NOTE_OPERATION, name, program, Long.toString(claim), progress, now)
                .thenApply(in -> new Noted(in.flag(), in.flag()));
    }

    /** Has an operation end early. */
    public CompletableFuture<Stop> stop(String name) {
        return run(Script.STOP_OPERATION, name).thenApply(in -> switch (in.count()) {
            case ScriptCodes.OPERATION_STOPPING -> Stop.STOPPING;
            case ScriptCodes.OPERATION_ENDED -> Stop.ENDED;
            default -> Stop.UNKNOWN;
        });
    }

    /** Returns all operations that are known, the latest first. */
    public CompletableFuture<List<Entry>> list() {
        byte[][] keys = connection.keys().operations();
        List<CompletableFuture<Map<String, String>>> hashes = new ArrayList<>();
        for (int key = 0; key < 4; key++) {
            byte[] hash = keys[key];
            hashes.add(connection.run(commands -> commands.hgetall(hash)).thenApply(OperationBook::texts));
        }
        CompletableFuture<Map<String, Long>> ended = ends(keys[5]).thenCombine(ends(keys[6]), (some, others) -> {
            some.putAll(others);
            return some;
        });
        return CompletableFuture.allOf(hashes.toArray(CompletableFuture[]::new)).thenCombine(ended, (done, ends) -> {
            Map<String, String> progress = hashes.get(1).join();
            Map<String, String> claims = hashes.get(2).join();
            Map<String, String> stops = hashes.get(3).join();
            return hashes.get(0).join().entrySet().stream()
                    .map(each -> new Entry(
                            each.getKey(),
                            micros(each.getValue()),
                            definition(each.getValue()),
                            progress.get(each.getKey()),
                            stops.containsKey(each.getKey()),
                            claims.get(each.getKey()),
                            ends.getOrDefault(each.getKey(), 0L)))
                    .sorted(Comparator.comparingLong(Entry::beganMicros).reversed())
                    .toList();
        });
    }

    private CompletableFuture<Map<String, Long>> ends(byte[] key) {
        return connection.run(commands -> commands.zrangeWithScores(key, 0, -1)).thenApply(OperationBook::scores);
    }

    private CompletableFuture<ReplyReader> run(Script script, String... args) {
        byte[][] encoded = new byte[args.length][];
        for (int i = 0; i < args.length; i++) {
            encoded[i] = args[i].getBytes(StandardCharsets.UTF_8);
        }
        return connection
                .runScript(script, connection.keys().operations(), encoded)
                .thenApply(ReplyReader::new);
    }

    private static long micros(String begun) {
        return Long.parseLong(begun.substring(0, begun.indexOf(' ')));
    }

    private static String definition(String begun) {
        return begun.substring(begun.indexOf(' ') + 1);
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

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
