package dev.tandem.task.store;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Names fan-outs so that each run of a master finds its own: by the place of its task, its id, and when it was published.
 *
 * <p>The place of a message of RabbitMQ with an id is the hash of all that its publisher gave it: id, properties, headers (among
 * them the time in milliseconds and which subtask it is, from publishers of this platform) and body. So two messages have one
 * fan-out only if they are alike in all of that. Nothing but the position tells such messages apart, and one that comes again may
 * have another position: then its next run would not find its fan-out.
 */
public final class FanOutIds {

    private static final int BYTES = 10;

    private FanOutIds() {}

    /** Returns the id of a fan-out of the task at a position. @param name tells the fan-outs of one task apart */
    public static String of(Partition partition, Position position, Task task, String name) {
        return of(partition, position, task.id(), task.publishedAt(), name);
    }

    /** Returns the same of a task of which only this is known. @param publishedAt in epoch milliseconds */
    public static String of(
            Partition partition, Position position, @Nullable String taskId, long publishedAt, String name) {
        TaskIdentity bearer = TaskIdentity.of(partition.name(), position, false, "");
        // A message of RabbitMQ with an id may come again under another position.
        boolean byPlace = bearer.identity().isEmpty() || !bearer.named() && isQueue(position);
        String place = byPlace ? bearer.place() : bearer.identity();
        // Of some messages only the second is known.
        long second = publishedAt / 1_000;
        String all = String.join("\n", partition.queue(), place, String.valueOf(taskId), Long.toString(second), name);
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isQueue(Position position) {
        String text = position.text();
        return text.indexOf('.', text.indexOf(':')) >= 0;
    }
}
