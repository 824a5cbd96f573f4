package dev.tandem.server.inspect;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Port: remembers requests that came with a key of their caller, for all servers. Thread-safe; no method blocks. All results may
 * fail with {@link UnavailableException}.
 */
public interface KeyedRequests {

    /** States in which a request may be found that is to begin. */
    enum State {
        /** The request is the first with its key. */
        BEGUN,
        /** Another one with its key has not ended. */
        UNDER_WAY,
        /** Another one with its key has an answer. */
        DONE,
        /** There is no room. */
        FULL,
        /** Its caller has as much of the room as one may have. */
        CALLER_FULL
    }

    /** The state of a request that was to begin. @param answer that of the earlier one, if that is done */
    record Begin(State state, @Nullable String answer) {}

    /** A request that has begun. It is under way for a minute, unless it is renewed. */
    interface Run {

        /** Begins, unless another one is under way or done. */
        CompletableFuture<Begin> begin();

        /** Lets it be under way for another minute. */
        CompletableFuture<Boolean> renew();

        /** Keeps the answer. */
        CompletableFuture<Boolean> finish(String answer);

        /** Forgets it, so that a repeat begins anew. */
        CompletableFuture<Boolean> forget();
    }

    /** How many bytes an answer may have on average. */
    int BYTES_EACH = 512;

    /** Returns a request that can begin. @param caller and key without a space or a slash */
    Run run(String caller, String key);
}
