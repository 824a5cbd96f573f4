package dev.tandem.server.logs;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import dev.tandem.task.LogText;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.helpers.MessageFormatter;

/**
 * Sums up the warnings and errors that the brokers' client libraries repeat: a client without its broker warns several
 * times a second for as long as the broker is away. The first one of each kind passes, and one line counts the others of
 * a client after {@value #WINDOW_SECONDS} s. Thread-safe.
 */
public final class LibraryWarnings extends TurboFilter {

    static final long WINDOW_SECONDS = 60;

    private static final org.slf4j.Logger log = LoggerFactory.getLogger(LibraryWarnings.class);

    private static final int MAX_KINDS = 200;
    private static final int MAX_SHOWN = 300;

    /** As much of a message as tells its kind from others. */
    private static final int MAX_COMPARED = 1_000;

    /** A list of values in brackets that Kafka's clients put before each message, and numbers. Needs no stack. */
    private static final Pattern VARIABLE = Pattern.compile("^(?:\\[[^]]*+] ?+)++|\\d++");

    private static final Map<String, String> CLIENTS = Map.of(
            "org.apache.kafka.", "Kafka's client",
            "com.rabbitmq.", "RabbitMQ's client",
            "io.lettuce.", "Redis's client",
            "io.netty.", "Redis's client");

    /** The warnings of one client that were left out. */
    private static final class Repeated {
        private final Map<String, Boolean> kinds = new HashMap<>();
        private long windowEnd;
        private long leftOut;
        private String last = "";
    }

    private final Map<String, Repeated> clients = new HashMap<>();
    private final LongSupplier nanoTime;
    private final Executor later;

    LibraryWarnings(LongSupplier nanoTime, Executor later) {
        this.nanoTime = nanoTime;
        this.later = later;
    }

    /** Begins to sum up, if Logback does the logging. Later calls have no effect. */
    public static void install() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context
                && context.getTurboFilterList().stream().noneMatch(LibraryWarnings.class::isInstance)) {
            LibraryWarnings filter = new LibraryWarnings(
                    System::nanoTime, CompletableFuture.delayedExecutor(WINDOW_SECONDS, TimeUnit.SECONDS));
            filter.setContext(context);
            filter.start();
            context.addTurboFilter(filter);
        }
    }

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            Object @Nullable [] arguments,
            @Nullable Throwable failure) {
        // Without a format somebody asks for the level only. Most calls end here.
        if (format == null || !level.isGreaterOrEqual(Level.WARN) || !logger.isEnabledFor(level)) {
            return FilterReply.NEUTRAL;
        }
        String client = client(logger.getName());
        return client == null || isFirst(client, logger.getName(), format, arguments)
                ? FilterReply.NEUTRAL
                : FilterReply.DENY;
    }

    private static @Nullable String client(String logger) {
        for (Map.Entry<String, String> client : CLIENTS.entrySet()) {
            if (logger.startsWith(client.getKey())) {
                return client.getValue();
            }
        }
        return null;
    }

    private synchronized boolean isFirst(String client, String logger, String format, Object @Nullable [] arguments) {
        Repeated repeated = clients.computeIfAbsent(client, name -> new Repeated());
        long now = nanoTime.getAsLong();
        if (repeated.kinds.isEmpty() || now - repeated.windowEnd >= 0) {
            repeated.kinds.clear();
            repeated.windowEnd = now + Duration.ofSeconds(WINDOW_SECONDS).toNanos();
        }
        String start = format.substring(0, Math.min(format.length(), MAX_COMPARED));
        String kind = logger + VARIABLE.matcher(start).replaceAll("");
        if (repeated.kinds.size() < MAX_KINDS && repeated.kinds.putIfAbsent(kind, true) == null) {
            return true;
        }
        if (repeated.leftOut++ == 0) {
            later.execute(() -> sumUp(client));
        }
        repeated.last =
                LogText.oneLine(MessageFormatter.arrayFormat(format, arguments).getMessage(), MAX_SHOWN);
        return false;
    }

    private void sumUp(String client) {
        long count;
        String last;
        synchronized (this) {
            Repeated repeated = clients.computeIfAbsent(client, name -> new Repeated());
            count = repeated.leftOut;
            last = repeated.last;
            repeated.leftOut = 0;
        }
        log.warn(
                "{} repeated {} within {} s, the last one: {}",
                client,
                count == 1 ? "a warning" : count + " warnings",
                WINDOW_SECONDS,
                last);
    }
}
