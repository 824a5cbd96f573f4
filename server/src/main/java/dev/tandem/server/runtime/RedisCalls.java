package dev.tandem.server.runtime;

import dev.tandem.scheduler.ReadBudget;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.FailureText;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the answers of Redis on behalf of a request. */
final class RedisCalls {

    /** Longer than the store's own timeout, so that its message is reported. */
    private static final long TIMEOUT_SECONDS = 70;

    private RedisCalls() {}

    /** @throws UnavailableException if there is no answer */
    static <T> T await(CompletionStage<T> answer) {
        try {
            return answer.toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(e);
        }
    }

    /** Waits for something that may ask Redis many times. Has it end if nobody waits any more. */
    static <T> T await(CompletionStage<T> answer, ReadBudget budget) {
        try {
            return await(answer);
        } catch (UnavailableException e) {
            budget.cancel();
            throw e;
        }
    }

    /** Returns the failure as that of a port. */
    static RuntimeException failed(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof IllegalArgumentException wrong) {
            return wrong;
        }
        if (cause instanceof ReadBudget.SpentException spent) {
            return new UnavailableException(String.valueOf(spent.getMessage()), spent);
        }
        String why = cause instanceof TimeoutException ? "it did not answer in time" : FailureText.of(cause);
        return new UnavailableException("Redis is not available: " + why, cause);
    }
}
