package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** The registry, in Redis, of the processes of executors: those of each host, and who holds which name. Thread-safe. */
final class ProcessRegistry {

    /** Longer than the longest lease: what is older has no lease left to end. */
    static final long KEPT_MILLIS = 900_000;

    private final AdminConnection connection;
    private final Inspector inspector;

    ProcessRegistry(AdminConnection connection, Inspector inspector) {
        this.connection = connection;
        this.inspector = inspector;
    }

    /** The process of an executor, and the queues that it runs. */
    record Entry(HostProcess process, Set<String> queues) {

        /** Returns the form in Redis: version, process id, start, queues. */
        String text() {
            return "1 " + process.pid() + " " + process.startTicks() + " " + String.join(" ", new TreeSet<>(queues));
        }

        static Entry of(String host, String text) {
            String[] parts = text.strip().split(" ");
            HostProcess process = new HostProcess(host, Long.parseLong(parts[1]), Long.parseLong(parts[2]));
            return new Entry(process, Set.copyOf(Arrays.asList(parts).subList(3, parts.length)));
        }
    }

    // ---- processes ----

    CompletableFuture<Void> register(String executor, HostProcess process, Set<String> queues) {
        byte[][] keys = {connection.keys().processes(process.host())};
        return connection
                .runScript(
                        Script.REGISTER_PROCESS,
                        keys,
                        bytes(executor),
                        bytes(new Entry(process, queues).text()),
                        bytes(Long.toString(KEPT_MILLIS)))
                .thenApply(reply -> null);
    }

    /** Returns the registered processes of a host, by the ids of their executors. */
    CompletableFuture<Map<String, Entry>> processes(String host) {
        return connection
                .run(commands -> commands.hgetall(connection.keys().processes(host)))
                .thenApply(all -> {
                    Map<String, Entry> entries = new HashMap<>();
                    all.forEach((id, text) -> entries.put(text(id), Entry.of(host, text(text))));
                    return entries;
                });
    }

    CompletableFuture<Void> remove(String executor, String host) {
        return connection
                .run(commands -> commands.hdel(connection.keys().processes(host), bytes(executor)))
                .thenApply(removed -> null);
    }

    /** Ends the leases of a dead executor in all partitions of a queue. Returns how many these were. */
    CompletableFuture<Integer> endLeases(String executor, String queue) {
        return inspector.partitions(queue).thenCompose(partitions -> {
            List<CompletableFuture<Integer>> all = partitions.stream()
                    .map(partition -> endLeases(executor, partition))
                    .toList();
            return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                    .thenApply(done ->
                            all.stream().mapToInt(CompletableFuture::join).sum());
        });
    }

    private CompletableFuture<Integer> endLeases(String executor, Partition partition) {
        return connection
                .runScript(
                        Script.DECLARE_DEAD,
                        partition,
                        bytes(executor),
                        bytes(connection.keys().wakeChannel(partition)))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    in.number();
                    return in.count() + in.count();
                });
    }

    // ---- names ----

    enum Hold {
        /** If nobody holds the name, or if its record is that of a dead holder. */
        TAKE,
        /** If no other executor holds the name. */
        KEEP,
        LEAVE
    }

    /**
     * An answer about a name.
     *
     * @param held whether this executor holds the name (or has left it)
     * @param record who holds it, or held it before; "" if nobody
     * @param silentMillis how long ago another holder last said that it lives
     */
    record Holder(boolean held, String record, long silentMillis) {

        /** Returns the id of the executor; "" if there is none. */
        String executor() {
            return record.substring(0, Math.max(0, record.lastIndexOf(' ')));
        }
    }

    /** @param replaced the record of a holder that is certainly dead; "" if none */
    CompletableFuture<Holder> hold(String name, String executor, Hold what, String replaced) {
        byte[][] keys = {connection.keys().executorName(name)};
        return connection
                .runScript(
                        Script.HOLD_EXECUTOR_NAME,
                        keys,
                        bytes(executor),
                        bytes(what.name().toLowerCase(Locale.ROOT)),
                        bytes(replaced),
                        bytes(Long.toString(KEPT_MILLIS)))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    boolean held = in.flag();
                    return new Holder(held, in.text(), held ? 0 : in.number());
                });
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
