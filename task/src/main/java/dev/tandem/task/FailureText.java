package dev.tandem.task;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Says why something failed, for people who do not know the classes of Java and of the client libraries. Knows exceptions
 * of networks and threads by their names only, because this module uses neither.
 */
public final class FailureText {

    /**
     * The name of a class that begins the message of an exception that wraps another one. Possessive and bounded: a long
     * message takes neither the stack nor a time that grows faster than its length.
     */
    private static final Pattern CLASS_NAME =
            Pattern.compile("\\b(?:[a-z][a-z0-9_]{0,99}+\\.){1,20}+[A-Z][A-Za-z0-9_.$]{0,199}+: ");

    /** How much of a message is searched for names of classes. They stand at its beginning. */
    private static final int SEARCHED = 10_000;

    /** Exceptions that futures put around the one that they failed with. */
    private static final Set<String> WRAPPERS =
            Set.of("java.util.concurrent.CompletionException", "java.util.concurrent.ExecutionException");

    /** The message of the Redis client about a request that it did not send. */
    private static final String NOT_CONNECTED = "Currently not connected. Commands are rejected.";

    private static final String NO_ANSWER = "no answer in time";

    private static final Pattern SUFFIX = Pattern.compile("(Exception|Error)$");
    private static final Pattern WORD_START = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

    private FailureText() {}

    /** Returns the reason behind the wrappers that futures add. */
    public static String of(Throwable failure) {
        Throwable cause = failure;
        while (WRAPPERS.contains(name(cause)) && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.getMessage() == null ? "" : cause.getMessage().strip();
        if (message.isEmpty()) {
            return withoutMessage(cause);
        }
        return switch (name(cause)) {
            case "java.net.UnknownHostException" ->
                "the host name '" + message.split(":", 2)[0] + "' cannot be resolved";
            case "java.util.concurrent.TimeoutException" -> NO_ANSWER;
            default -> clean(message);
        };
    }

    /** Returns a message of a library without names of classes, and without what Java and clients add. */
    public static String clean(String message) {
        int searched = Math.min(message.length(), SEARCHED);
        String withoutNames =
                CLASS_NAME.matcher(message.substring(0, searched)).replaceAll("") + message.substring(searched);
        return withoutNames.replace("/<unresolved>", "").replace(NOT_CONNECTED, "there is no connection");
    }

    private static String withoutMessage(Throwable failure) {
        return switch (name(failure)) {
            case "java.util.concurrent.TimeoutException" -> NO_ANSWER;
            case "java.net.ConnectException" -> "connection refused";
            case "java.io.IOException" -> "the connection failed";
            case "java.io.EOFException" -> "the connection was closed";
            case "java.nio.channels.UnresolvedAddressException" -> "the host name cannot be resolved";
            default -> words(failure);
        };
    }

    private static String name(Throwable failure) {
        return failure.getClass().getName();
    }

    /** Returns the words in the name of an exception: "stale cluster view" of a StaleClusterViewException. */
    private static String words(Throwable failure) {
        String simple = failure.getClass().getSimpleName();
        if (simple.endsWith("ClosedChannelException")) {
            return "the connection was closed";
        }
        String name = SUFFIX.matcher(simple).replaceAll("");
        String words = WORD_START.matcher(name).replaceAll(" ").toLowerCase(Locale.ROOT);
        return words.isEmpty() ? "for an unknown reason" : words;
    }
}
