package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What an operator changes. Each change is made whole or not at all, and doing it twice does no more than once. The
 * partition's owner is woken. Futures fail when Redis can't be reached or does not answer in time: then the change may
 * or may not have been made. Thread-safe.
 */
public final class Admin {

    /** What became of a change. */
    public enum Result {
        DONE,
        /** There is no such task or blocked key, or it changed meanwhile. */
        NOT_FOUND,
        /** It runs right now: try again when it has ended. */
        ACTIVE
    }

    private final Side side;
    private final Inspector inspector;

    Admin(Side side, Inspector inspector) {
        this.side = side;
        this.inspector = inspector;
    }

    /**
     * A dead task goes back with all its attempts, due now, and if it halted its key it is the head again. A scheduled
     * or retried one is due now.
     */
    public CompletableFuture<Result> retry(Partition partition, Position position) {
        return inspector.task(partition, position).thenCompose(task -> {
            if (task.isEmpty()) {
                return CompletableFuture.completedFuture(Result.NOT_FOUND);
            }
            Envelope envelope = task.get().envelope();
            if (task.get().state() != TaskState.DEAD || envelope == null) {
                return change(partition, "retry", position.text(), null, null);
            }
            byte[] seen = envelope.encode();
            byte[] fresh = new Envelope(envelope.task(), 0, envelope.token(), envelope.error()).encode();
            return change(partition, "retry", position.text(), seen, fresh);
        });
    }

    /** A dead task is removed for good; a scheduled, retried or parked one is cancelled. */
    public CompletableFuture<Result> delete(Partition partition, Position position) {
        return change(partition, "delete", position.text(), null, null);
    }

    /** A blocked key's head, dead or waiting, runs again now. */
    public CompletableFuture<Result> retryKey(Partition partition, String key) {
        return inspector
                .key(partition, key)
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(Result.NOT_FOUND)
                        : retry(partition, found.get().head()));
    }

    /** A blocked key's head is given up (a waiting one dies) and the next one in its lane goes on. */
    public CompletableFuture<Result> skipKey(Partition partition, String key) {
        return withHead(partition, key, "skip");
    }

    /** As skip, and all that is parked behind the head at this moment dies, in order. */
    public CompletableFuture<Result> drainKey(Partition partition, String key) {
        return withHead(partition, key, "drain");
    }

    /** No task of the queue starts any more, in any executor; running ones go on. Executors know within a second. */
    public CompletableFuture<Void> pause(String queue) {
        byte[] now = Long.toString(System.currentTimeMillis()).getBytes(StandardCharsets.UTF_8);
        return side.run(commands -> commands.setnx(Keys.paused(queue), now)).thenCompose(set -> tell(queue, "paused"));
    }

    public CompletableFuture<Void> resume(String queue) {
        return side.run(commands -> commands.del(Keys.paused(queue))).thenCompose(gone -> tell(queue, "resumed"));
    }

    private CompletableFuture<Void> tell(String queue, String what) {
        byte[] channel = Keys.changed(queue).getBytes(StandardCharsets.UTF_8);
        return side.run(commands -> commands.publish(channel, what.getBytes(StandardCharsets.UTF_8)))
                .thenApply(heard -> null);
    }

    private CompletableFuture<Result> withHead(Partition partition, String key, String what) {
        return inspector.key(partition, key).thenCompose((Optional<KeyView> found) -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(Result.NOT_FOUND);
            }
            byte[] head = found.get().head().text().getBytes(StandardCharsets.UTF_8);
            return change(partition, what, key, head, null);
        });
    }

    private CompletableFuture<Result> change(
            Partition partition, String what, String name, byte @Nullable [] seen, byte @Nullable [] then) {
        byte[] nothing = {};
        return side.script(
                        Script.ADMIN,
                        partition,
                        Keys.wake(partition).getBytes(StandardCharsets.UTF_8),
                        what.getBytes(StandardCharsets.UTF_8),
                        name.getBytes(StandardCharsets.UTF_8),
                        seen == null ? nothing : seen,
                        then == null ? nothing : then)
                .thenApply(Admin::result);
    }

    private static Result result(List<Object> reply) {
        int code = new Answers.Reader(reply).count();
        return switch (code) {
            case 1 -> Result.DONE;
            case 0 -> Result.NOT_FOUND;
            case 2 -> Result.ACTIVE;
            default -> throw new IllegalStateException("A change was answered by the unknown code " + code);
        };
    }
}
