package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import java.util.concurrent.CompletableFuture;

/**
 * Forgets requests with keys of their callers whose time is over, in short scripts. If nobody did, Redis would forget all at once
 * some time after the last request, and stand still meanwhile. Thread-safe.
 */
final class KeyedRequestTrimmer {

    private static final int PIECE = 200;

    /** The pieces of a round. */
    private static final int MAX_PIECES = 50;

    private final AdminConnection connection;

    KeyedRequestTrimmer(AdminConnection connection) {
        this.connection = connection;
    }

    /** Does a round. Returns how many requests were forgotten. */
    CompletableFuture<Long> trim() {
        return trim(0, 0);
    }

    private CompletableFuture<Long> trim(int pieces, long forgotten) {
        return connection
                .runScript(Script.TRIM_REQUESTS, connection.keys().keyedRequests(), bytes(Integer.toString(PIECE)))
                .thenCompose(reply -> {
                    long piece = new ReplyReader(reply).number();
                    long all = forgotten + piece;
                    return piece < PIECE || pieces + 1 >= MAX_PIECES
                            ? CompletableFuture.completedFuture(all)
                            : trim(pieces + 1, all);
                });
    }
}
