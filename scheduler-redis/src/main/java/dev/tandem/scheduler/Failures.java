package dev.tandem.scheduler;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Sorts what can go wrong with an answer. */
final class Failures {

    enum Kind {
        /** This connection is no good: it broke, its scripts are gone, or it is not the master's any more. */
        CONNECTION,
        /** The partition is, or is about to be, at another node. */
        MOVED,
        /** Redis refused this request and nothing else is wrong. */
        REQUEST
    }

    private static final List<String> OF_THE_CONNECTION =
            List.of("NOSCRIPT", "READONLY", "LOADING", "MASTERDOWN", "NOAUTH", "UNBLOCKED");

    private static final List<String> MOVED = List.of("MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN");

    private Failures() {}

    static Kind kind(@Nullable Throwable failure) {
        Throwable cause = root(failure);
        if (cause == null) {
            return Kind.REQUEST;
        }
        if (!(cause instanceof RedisCommandExecutionException)) {
            return Kind.CONNECTION;
        }
        // Redis 6.2 wraps errors from within a script in a text of its own.
        String message = String.valueOf(cause.getMessage());
        if (OF_THE_CONNECTION.stream().anyMatch(each -> message.startsWith(each) || message.contains("-" + each))) {
            return Kind.CONNECTION;
        }
        return MOVED.stream().anyMatch(message::startsWith) ? Kind.MOVED : Kind.REQUEST;
    }

    /** Redis answers, and must not be used as it is set up. */
    static boolean isUnfit(@Nullable Throwable failure) {
        return root(failure) instanceof Connector.UnfitException;
    }

    static boolean isScriptMissing(Throwable failure) {
        Throwable cause = root(failure);
        return cause instanceof RedisCommandExecutionException
                && String.valueOf(cause.getMessage()).startsWith("NOSCRIPT");
    }

    static String why(@Nullable Throwable failure) {
        Throwable cause = root(failure);
        if (cause == null) {
            return "unknown";
        }
        Throwable deeper = cause.getCause();
        return text(cause) + (deeper == null ? "" : ": " + text(deeper));
    }

    /** Some of Netty's say it all by their name. */
    private static String text(Throwable failure) {
        return failure.getMessage() != null
                ? failure.getMessage()
                : failure.getClass().getSimpleName();
    }

    private static @Nullable Throwable root(@Nullable Throwable failure) {
        return failure instanceof CompletionException wrapped && wrapped.getCause() != null
                ? wrapped.getCause()
                : failure;
    }
}
