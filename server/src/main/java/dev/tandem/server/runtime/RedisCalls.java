package dev.tandem.server.runtime;

import dev.tandem.server.inspect.UnavailableException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for Redis on behalf of a request. */
final class RedisCalls {

    /** Longer than the store's own patience, so that its message is the one that is seen. */
    private static final long PATIENCE_SECONDS = 70;

    private RedisCalls() {}

    /** @throws UnavailableException if there is no answer */
    static <T> T await(CompletionStage<T> answer) {
        try {
            return answer.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw failed(e);
        } catch (TimeoutException e) {
            throw failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(e);
        }
    }

    private static RuntimeException failed(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof IllegalArgumentException wrong) {
            return wrong;
        }
        String why = cause instanceof TimeoutException
                ? "it does not answer in time"
                : cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return new UnavailableException("Redis can't be asked: " + why, cause);
    }
}
