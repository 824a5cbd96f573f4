package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Partition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Makes tasks due that wait for a time. One that is just about to wait may be tried again a few times. Thread-safe. */
final class TaskWakeups {

    /** After which times a task is tried again that did not wait yet. */
    private static final long[] AGAIN_MILLIS = {100, 400, 1_500};

    private final AdminConnection connection;

    TaskWakeups(AdminConnection connection) {
        this.connection = connection;
    }

    /** Makes those tasks of a partition due that wait now. */
    CompletableFuture<Void> wake(Partition partition, List<String> positions) {
        return wake(partition, positions, AGAIN_MILLIS.length);
    }

    /** Does the same, and tries those again that do not wait yet. */
    CompletableFuture<Void> wakeSoon(Partition partition, List<String> positions) {
        return wake(partition, positions, 0);
    }

    private CompletableFuture<Void> wake(Partition partition, List<String> positions, int tries) {
        byte[][] args = new byte[positions.size() + 1][];
        args[0] = bytes(connection.keys().wakeChannel(partition));
        for (int i = 0; i < positions.size(); i++) {
            args[i + 1] = bytes(positions.get(i));
        }
        return connection.runScript(Script.WAKE_TASKS, partition, args).thenAccept(reply -> {
            ReplyReader in = new ReplyReader(reply);
            in.number();
            List<String> others = in.all(ReplyReader::text);
            if (!others.isEmpty() && tries < AGAIN_MILLIS.length) {
                CompletableFuture.delayedExecutor(AGAIN_MILLIS[tries], TimeUnit.MILLISECONDS)
                        .execute(() -> wake(partition, others, tries + 1));
            }
        });
    }
}
