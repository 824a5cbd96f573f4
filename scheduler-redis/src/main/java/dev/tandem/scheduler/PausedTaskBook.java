package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.store.PausedTasks;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Keeps which types and keys of a queue are paused. Thread-safe. */
final class PausedTaskBook {

    /** The prefix of the name of a type. {@link #KEY} is that of a key. */
    private static final String TYPE = "type:";

    private static final String KEY = "key:";

    private final AdminConnection connection;

    PausedTaskBook(AdminConnection connection) {
        this.connection = connection;
    }

    CompletableFuture<PausedTasks> of(String queue) {
        return connection
                .run(commands -> commands.hgetall(connection.keys().pausedTasks(queue)))
                .thenApply(PausedTaskBook::read);
    }

    private static PausedTasks read(Map<byte[], byte[]> fields) {
        Set<String> types = new HashSet<>();
        Set<String> keys = new HashSet<>();
        for (byte[] field : fields.keySet()) {
            String text = new String(field, StandardCharsets.UTF_8);
            if (text.startsWith(TYPE)) {
                types.add(text.substring(TYPE.length()));
            } else if (text.startsWith(KEY)) {
                keys.add(text.substring(KEY.length()));
            }
        }
        return types.isEmpty() && keys.isEmpty() ? PausedTasks.NONE : new PausedTasks(types, keys);
    }

    /**
     * Adds a type or a key, and keeps since when it has been here if it has.
     *
     * @return whether it is here now; false if there are {@link PausedTasks#MAX} others. Two that are added at the same moment
     *     may exceed that
     */
    CompletableFuture<Boolean> add(String queue, PausedTasks which) {
        byte[] key = connection.keys().pausedTasks(queue);
        byte[] field = field(which);
        return connection
                .run(commands -> commands.hlen(key))
                .thenCompose(length -> length < PausedTasks.MAX
                        ? connection
                                .run(commands ->
                                        commands.hsetnx(key, field, bytes(Long.toString(System.currentTimeMillis()))))
                                .thenApply(added -> true)
                        : connection.run(commands -> commands.hexists(key, field)));
    }

    /** Removes a type or a key. @return whether it was here */
    CompletableFuture<Boolean> remove(String queue, PausedTasks which) {
        return connection
                .run(commands -> commands.hdel(connection.keys().pausedTasks(queue), field(which)))
                .thenApply(removed -> removed > 0);
    }

    private static byte[] field(PausedTasks which) {
        if (which.types().size() + which.keys().size() != 1) {
            throw new IllegalArgumentException("One type or one key is paused or resumed at a time, not " + which);
        }
        return which.keys().isEmpty()
                ? bytes(TYPE + which.types().iterator().next())
                : bytes(KEY + which.keys().iterator().next());
    }
}
