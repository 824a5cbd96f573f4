package dev.tandem.scheduler;

import dev.tandem.task.FailureText;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Classifies failures of requests. */
final class RedisFailures {

    enum Kind {
        /**
         * The connection is unusable: it broke, its scripts are gone, or it no longer leads to a master that accepts writes.
         */
        CONNECTION,
        /** The partition is on another node, or is moving there. */
        MOVED,
        /** Redis refused this one request. */
        REQUEST
    }

    private static final List<String> CONNECTION_ERRORS =
            List.of("NOSCRIPT", "READONLY", "LOADING", "MASTERDOWN", "NOAUTH", "UNBLOCKED", "MISCONF", "NOREPLICAS");

    private static final List<String> MOVED_ERRORS = List.of("MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN");

    private RedisFailures() {}

    static Kind kind(@Nullable Throwable failure) {
        Throwable cause = root(failure);
        if (cause == null) {
            return Kind.REQUEST;
        }
        if (!(cause instanceof RedisCommandExecutionException)) {
            return Kind.CONNECTION;
        }
        // Redis 6.2 wraps errors of commands in scripts in a text of its own.
        String message = String.valueOf(cause.getMessage());
        if (CONNECTION_ERRORS.stream().anyMatch(each -> message.startsWith(each) || message.contains("-" + each))) {
            return Kind.CONNECTION;
        }
        return MOVED_ERRORS.stream().anyMatch(message::startsWith) ? Kind.MOVED : Kind.REQUEST;
    }

    /** Returns whether Redis answers, but must not be used with its settings. */
    static boolean isUnfit(@Nullable Throwable failure) {
        return root(failure) instanceof RedisConnector.UnfitException;
    }

    /** Returns whether a key has another type than a command needs. */
    static boolean isWrongType(@Nullable Throwable failure) {
        Throwable cause = root(failure);
        return cause instanceof RedisCommandExecutionException
                && String.valueOf(cause.getMessage()).contains("WRONGTYPE");
    }

    static boolean isScriptMissing(Throwable failure) {
        Throwable cause = root(failure);
        return cause instanceof RedisCommandExecutionException
                && String.valueOf(cause.getMessage()).startsWith("NOSCRIPT");
    }

    /** Describes a failure and its direct cause, and what to do about it if that is known. */
    static String describe(@Nullable Throwable failure) {
        Throwable cause = root(failure);
        if (cause == null) {
            return "unknown";
        }
        Throwable deeper = cause.getCause();
        return RedisRemedies.withRemedy(FailureText.of(cause) + (deeper == null ? "" : ": " + FailureText.of(deeper)));
    }

    private static @Nullable Throwable root(@Nullable Throwable failure) {
        return failure instanceof CompletionException wrapped && wrapped.getCause() != null
                ? wrapped.getCause()
                : failure;
    }
}
