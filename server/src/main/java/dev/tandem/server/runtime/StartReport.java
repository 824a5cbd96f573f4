package dev.tandem.server.runtime;

import dev.tandem.runtime.settings.DurationText;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.Secrets;
import dev.tandem.runtime.settings.TandemSettings;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** Logs at the start what this server is, where its API is, and what its queues do. */
final class StartReport implements ApplicationListener<WebServerInitializedEvent> {

    private static final Logger log = LoggerFactory.getLogger(StartReport.class);

    /** A server with more queues than this counts the rest, so that the log of a start stays short. */
    static final int MAX_QUEUES = 50;

    private static final String VERSION = "/dev/tandem/server/cli/version.properties";

    private final TandemSettings settings;
    private final Environment environment;
    private final @Nullable String executor;

    /** @param executor the id of this process's executor; null if it runs no tasks */
    StartReport(TandemSettings settings, Environment environment, @Nullable String executor) {
        this.settings = settings;
        this.environment = environment;
        this.executor = executor;
    }

    @Override
    public void onApplicationEvent(WebServerInitializedEvent event) {
        // A separate server for health (management.server.port) has a name.
        if (event.getApplicationContext().getServerNamespace() == null) {
            int port = event.getWebServer().getPort();
            lines(port).forEach(log::info);
            if (environment instanceof ConfigurableEnvironment known) {
                warnOfSecrets(CommandLineSecrets.in(known));
            }
        }
    }

    private static void warnOfSecrets(List<String> names) {
        if (!names.isEmpty()) {
            log.warn(
                    "The command line has secrets, in {}. Other users of this machine can read it: put them into files, or"
                            + " into the environment",
                    String.join(", ", names));
        }
    }

    List<String> lines(int port) {
        List<String> lines = new ArrayList<>();
        lines.add("Tandem " + version() + " on Java " + System.getProperty("java.version") + ", process "
                + ProcessHandle.current().pid() + ". " + address(environment::getProperty, port));
        lines.add(
                executor == null
                        ? "This server runs no tasks, because tandem.executor.enabled is false"
                        : "Executor " + executor + " runs up to "
                                + settings.executor().concurrency() + " tasks at once");
        lines.add("Redis is " + Secrets.masked(settings.redis().uri()) + ", namespace "
                + settings.redis().namespace());
        settings.queues().entrySet().stream()
                .limit(MAX_QUEUES)
                .forEach(queue -> lines.add(queue(queue.getKey(), queue.getValue())));
        int more = settings.queues().size() - MAX_QUEUES;
        if (more > 0) {
            lines.add("There are " + more + " more queues. 'tandem queues' lists all of them");
        }
        return lines;
    }

    static String address(UnaryOperator<@Nullable String> settings, int port) {
        String address = settings.apply("server.address");
        boolean tls = (settings.apply("server.ssl.bundle") != null || settings.apply("server.ssl.key-store") != null)
                && !"false".equals(settings.apply("server.ssl.enabled"));
        String scheme = tls ? "https" : "http";
        return address == null || address.isBlank()
                ? "The API listens on every address, port " + port + " (" + scheme + ")"
                : "The API listens on " + scheme + "://" + (address.contains(":") ? "[" + address + "]" : address) + ":"
                        + port;
    }

    private String queue(String name, QueueSettings queue) {
        return "Queue " + name + ": " + source(name, queue) + ", ordering " + lower(queue.effectiveOrdering())
                + (queue.ordered() ? ", dead-head " + lower(queue.effectiveDeadHead()) : "") + ", "
                + handler(queue) + ", up to " + queue.effectiveConcurrency() + " at once, timeout "
                + DurationText.of(queue.effectiveTimeout()) + ", " + queue.maxAttempts() + " attempts";
    }

    private String source(String name, QueueSettings queue) {
        return switch (queue.effectiveSource()) {
            case KAFKA ->
                "Kafka topic " + queue.effectiveTopic(name) + " at "
                        + settings.kafka().bootstrapServers() + ", group " + queue.effectiveGroup(name);
            case RABBIT ->
                "RabbitMQ queue " + queue.effectiveQueue(name) + " at "
                        + Secrets.masked(settings.rabbit().uri()) + ", exchange " + queue.effectiveExchange();
        };
    }

    private static String handler(QueueSettings queue) {
        if (queue.handler() == null) {
            return "no handler";
        }
        return "handler " + queue.handler()
                + (queue.types().isEmpty() ? "" : " (also of the types " + String.join(", ", queue.types()) + ")");
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static String version() {
        Properties properties = new Properties();
        try (InputStream in = StartReport.class.getResourceAsStream(VERSION)) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            log.debug("Cannot read {}", VERSION, e);
        }
        return properties.getProperty("version", "of an unknown version");
    }
}
