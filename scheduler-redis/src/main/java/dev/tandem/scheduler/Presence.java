package dev.tandem.scheduler;

import io.lettuce.core.Range;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Which executors there are: each says so every few seconds, and whoever was silent for a minute is forgotten. For
 * people, and for who should lease what; no guarantee depends on it. Thread-safe.
 */
public final class Presence {

    private static final long FORGOTTEN_MILLIS = Duration.ofMinutes(1).toMillis();

    private final Side side;
    private final Wakes wakes;

    Presence(Side side, Wakes wakes) {
        this.side = side;
        this.wakes = wakes;
    }

    /**
     * An executor.
     *
     * @param id unique per process start
     * @param startedAt epoch milliseconds, by its own clock
     * @param lastSeen epoch milliseconds, by Redis's clock; ignored by {@link #beat}
     * @param running tasks running now, by queue; only of queues that it takes its share of
     */
    public record Executor(String id, String host, long startedAt, long lastSeen, Map<String, Integer> running) {

        public Executor {
            running = Map.copyOf(running);
            if (id.isBlank() || host.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("An executor needs an id, and a host without line breaks");
            }
        }
    }

    /** Says that this executor is there. @param changed others are to look at once, as they do when one comes */
    public CompletableFuture<Void> beat(Executor executor, boolean changed) {
        byte[] id = bytes(executor.id());
        return now().thenCompose(now -> side.run(
                        commands -> commands.hset(Keys.executorFacts(), id, bytes(facts(executor))))
                .thenCompose(set -> side.run(commands -> commands.zadd(Keys.executors(), (double) now.longValue(), id)))
                .thenCompose(added -> added > 0 || changed ? tell("came") : CompletableFuture.completedFuture(null)));
    }

    /** This executor leaves. */
    public CompletableFuture<Void> leave(String id) {
        byte[] name = bytes(id);
        return side.run(commands -> commands.zrem(Keys.executors(), name))
                .thenCompose(removed -> side.run(commands -> commands.hdel(Keys.executorFacts(), name)))
                .thenCompose(removed -> tell("left"));
    }

    private CompletableFuture<Void> tell(String what) {
        return side.run(commands -> commands.publish(bytes(Keys.executorsChanged()), bytes(what)))
                .thenApply(heard -> null);
    }

    /**
     * Tells that an executor came or left, or that this may have been missed. Only a hint: one that dies says nothing.
     *
     * @param hearer called on any thread; it must not block
     * @return ends it
     */
    public AutoCloseable watch(Runnable hearer) {
        wakes.add(Keys.executorsChanged(), hearer);
        return () -> wakes.remove(Keys.executorsChanged(), hearer);
    }

    /** Those that were seen within the last minute, by id. */
    public CompletableFuture<List<Executor>> executors() {
        return now().thenCompose(now -> side.run(commands -> commands.zrangeWithScores(Keys.executors(), 0, -1))
                .thenCombine(side.run(commands -> commands.hgetall(Keys.executorFacts())), (seen, facts) -> {
                    Map<String, String> known = new TreeMap<>();
                    facts.forEach((id, text) -> known.put(text(id), text(text)));
                    List<Executor> executors = new ArrayList<>();
                    seen.forEach(each -> {
                        String id = text(each.getValue());
                        if (each.getScore() > now - FORGOTTEN_MILLIS && known.containsKey(id)) {
                            executors.add(read(id, known.get(id), (long) each.getScore()));
                        }
                    });
                    executors.sort((one, two) -> one.id().compareTo(two.id()));
                    return executors;
                }));
    }

    /** Forgets executors that were silent for long. */
    CompletableFuture<Void> forget() {
        return now().thenCompose(now -> {
            Range<Double> silent = Range.create(0.0, (double) now - FORGOTTEN_MILLIS);
            return side.run(commands -> commands.zrangebyscore(Keys.executors(), silent))
                    .thenCompose(ids -> ids.isEmpty()
                            ? CompletableFuture.completedFuture(null)
                            : side.run(commands -> commands.hdel(Keys.executorFacts(), ids.toArray(byte[][]::new)))
                                    .thenCompose(gone ->
                                            side.run(commands -> commands.zremrangebyscore(Keys.executors(), silent)))
                                    .thenApply(gone -> null));
        });
    }

    private CompletableFuture<Long> now() {
        return side.run(commands -> commands.time())
                .thenApply(
                        time -> Long.parseLong(text(time.get(0))) * 1_000 + Long.parseLong(text(time.get(1))) / 1_000);
    }

    private static String facts(Executor executor) {
        StringBuilder facts = new StringBuilder("1\n")
                .append(executor.startedAt())
                .append('\n')
                .append(executor.host());
        new TreeMap<>(executor.running())
                .forEach((queue, count) ->
                        facts.append('\n').append(queue).append('=').append(count));
        return facts.toString();
    }

    private static Executor read(String id, String facts, long lastSeen) {
        String[] lines = facts.split("\n", -1);
        Map<String, Integer> running = new TreeMap<>();
        for (int i = 3; i < lines.length; i++) {
            int at = lines[i].lastIndexOf('=');
            running.put(lines[i].substring(0, at), Integer.parseInt(lines[i].substring(at + 1)));
        }
        return new Executor(id, lines[2], Long.parseLong(lines[1]), lastSeen, running);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
