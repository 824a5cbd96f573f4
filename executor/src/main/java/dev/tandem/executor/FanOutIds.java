package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Task;
import dev.tandem.task.store.TaskIdentity;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names fan-outs so that each run of a master finds its own: by the place of its task, its id, and when it was published. */
final class FanOutIds {

    private static final int BYTES = 10;

    private FanOutIds() {}

    /** @param name tells the fan-outs of one task apart */
    static String of(Run run, String queue, String name) {
        Task task = run.task();
        TaskIdentity bearer = TaskIdentity.of(run.partition().name(), run.position(), false, "");
        // A message of RabbitMQ with an id may come again under another position.
        boolean byPlace = bearer.identity().isEmpty() || !bearer.named() && isQueue(run);
        String place = byPlace ? bearer.place() : bearer.identity();
        // Of some messages only the second is known.
        long second = task.publishedAt() / 1_000;
        String all = String.join("\n", queue, place, String.valueOf(task.id()), Long.toString(second), name);
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isQueue(Run run) {
        String position = run.position().text();
        return position.indexOf('.', position.indexOf(':')) >= 0;
    }
}
