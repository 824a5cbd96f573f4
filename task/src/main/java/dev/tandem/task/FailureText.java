package dev.tandem.task;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** Says why something failed, for people who do not know the classes of Java and of the client libraries. */
public final class FailureText {

    /** The name of a class that begins the message of an exception that wraps another one. */
    private static final Pattern CLASS_NAME =
            Pattern.compile("\\b(?:[a-z][a-z0-9_]*\\.)+(?:[A-Z][A-Za-z0-9_]*[.$]?)+: ");

    private static final Pattern SUFFIX = Pattern.compile("(Exception|Error)$");
    private static final Pattern WORD_START = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

    private FailureText() {}

    /** Returns the reason behind the wrappers that futures add. */
    public static String of(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.getMessage() == null ? "" : cause.getMessage().strip();
        if (cause instanceof UnknownHostException && !message.isEmpty()) {
            return "the host name '" + message.split(":", 2)[0] + "' cannot be resolved";
        }
        if (cause instanceof UnresolvedAddressException) {
            return "the host name cannot be resolved";
        }
        if (cause instanceof TimeoutException) {
            return "no answer in time";
        }
        return message.isEmpty() ? withoutMessage(cause) : clean(message);
    }

    /** Returns a message of a library without names of classes, and without what Java adds to an unresolved address. */
    public static String clean(String message) {
        return CLASS_NAME.matcher(message).replaceAll("").replace("/<unresolved>", "");
    }

    private static String withoutMessage(Throwable failure) {
        if (failure instanceof ConnectException) {
            return "connection refused";
        }
        if (failure instanceof ClosedChannelException) {
            return "the connection was closed";
        }
        String name = SUFFIX.matcher(failure.getClass().getSimpleName()).replaceAll("");
        String words = WORD_START.matcher(name).replaceAll(" ").toLowerCase(Locale.ROOT);
        return words.isEmpty() ? "for an unknown reason" : words;
    }
}
