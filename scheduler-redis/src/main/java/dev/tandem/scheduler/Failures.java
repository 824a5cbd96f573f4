package dev.tandem.scheduler;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Sorts what can go wrong with an answer. */
final class Failures {

    /** Errors after which this connection is no good: its scripts are gone, or it is not the master's any more. */
    private static final List<String> OF_THE_CONNECTION =
            List.of("NOSCRIPT", "READONLY", "LOADING", "MASTERDOWN", "CLUSTERDOWN", "NOAUTH", "UNBLOCKED");

    private Failures() {}

    static boolean concernsConnection(@Nullable Throwable failure) {
        Throwable cause = root(failure);
        if (cause == null) {
            return false;
        }
        if (!(cause instanceof RedisCommandExecutionException)) {
            return true;
        }
        String message = String.valueOf(cause.getMessage());
        return OF_THE_CONNECTION.stream().anyMatch(message::startsWith);
    }

    static String why(@Nullable Throwable failure) {
        Throwable cause = root(failure);
        if (cause == null) {
            return "unknown";
        }
        Throwable deeper = cause.getCause();
        return cause.getMessage() + (deeper == null ? "" : ": " + deeper.getMessage());
    }

    private static @Nullable Throwable root(@Nullable Throwable failure) {
        return failure instanceof CompletionException wrapped && wrapped.getCause() != null
                ? wrapped.getCause()
                : failure;
    }
}
