package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The records of requests of the HTTP API that came with a key of their caller, so that a repeat gets the answer of the first. They
 * are bounded in number and in bytes, of each caller too, and in time. Thread-safe; no method blocks.
 */
public final class KeyedRequestBook {

    /** For how long a request is under way unless it is renewed. */
    public static final Duration UNDER_WAY = Duration.ofSeconds(60);

    /** States in which a request may be found that is to begin. */
    public enum State {
        BEGUN,
        UNDER_WAY,
        DONE,
        FULL,
        CALLER_FULL
    }

    /** Names a request. @param caller and key without a space or a slash. @param run unique */
    public record Run(String caller, String key, String run) {

        /** Returns a new run of the request with this key. */
        public static Run of(String caller, String key) {
            return new Run(caller, key, UUID.randomUUID().toString());
        }
    }

    /** The state of a request that was to begin. @param answer that of the earlier one, if that is done */
    public record Begin(State state, @Nullable String answer) {}

    private final AdminConnection connection;
    private final Duration keep;
    private final int most;
    private final long mostBytes;

    KeyedRequestBook(AdminConnection connection, Duration keep, int most, long mostBytes) {
        this.connection = connection;
        this.keep = keep;
        this.most = most;
        this.mostBytes = mostBytes;
    }

    /** Begins a request, unless another one with its key is under way or done. */
    public CompletableFuture<Begin> begin(Run run) {
        return connection
                .runScript(
                        Script.BEGIN_REQUEST,
                        connection.keys().keyedRequests(),
                        bytes(run.caller()),
                        bytes(run.key()),
                        bytes(run.run()),
                        millis(UNDER_WAY),
                        bytes(Integer.toString(most)),
                        bytes(Integer.toString(Math.max(1, most / 2))),
                        bytes(Long.toString(mostBytes)),
                        bytes(Long.toString(mostBytes / 2)))
                .thenApply(reply -> {
                    ReplyReader reader = new ReplyReader(reply);
                    State state = State.values()[reader.count()];
                    return new Begin(state, state == State.DONE ? reader.text() : null);
                });
    }

    /** Lets a request be under way for another {@link #UNDER_WAY}. @return whether it still is this one */
    public CompletableFuture<Boolean> renew(Run run) {
        return end(run, UNDER_WAY, "");
    }

    /** Keeps the answer. @return false if another request has begun meanwhile with the same key */
    public CompletableFuture<Boolean> finish(Run run, String answer) {
        return end(run, keep, answer);
    }

    /** Forgets a request, so that a repeat begins anew. */
    public CompletableFuture<Boolean> forget(Run run) {
        return end(run, Duration.ZERO, "");
    }

    private CompletableFuture<Boolean> end(Run run, Duration kept, String answer) {
        return connection
                .runScript(
                        Script.END_REQUEST,
                        connection.keys().keyedRequests(),
                        bytes(run.caller()),
                        bytes(run.key()),
                        bytes(run.run()),
                        millis(kept),
                        bytes(answer))
                .thenApply(reply -> new ReplyReader(reply).flag());
    }

    private static byte[] millis(Duration duration) {
        return bytes(Long.toString(duration.toMillis()));
    }
}
