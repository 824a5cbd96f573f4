package dev.tandem.demo;

import dev.tandem.kit.Await;
import dev.tandem.kit.ConsoleProgress;
import dev.tandem.kit.TemporaryFolder;
import dev.tandem.local.LocalPlatform;
import dev.tandem.local.LocalProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code ./tandem up}. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the platform on this machine, empty, until Ctrl-C: Kafka, an AMQP broker, Redis and a server. The "
                    + "server prints the tasks of two samples, the Kafka queue 'demo-orders' and the AMQP queue "
                    + "'demo-mail'. With --queue it shows queues of your own instead, and leaves their tasks to your "
                    + "programs. With --config the server has settings and queues of your own.",
            ""
        },
        footer = {
            "",
            "Exit status: 0 ended by Ctrl-C or SIGTERM, 1 something could not be started or ended, 2 wrong usage."
        })
public final class UpCommand implements Callable<Integer> {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(90);
    /** Brokers may be downloaded first. */
    private static final Duration LONGEST_START = Duration.ofMinutes(15);

    private static final Duration HEALTH_INTERVAL = Duration.ofMillis(100);

    @Mixin
    private final LocalOptions local = new LocalOptions();

    @Option(names = "--no-amqp", description = "leave the AMQP part out")
    private boolean noAmqp;

    @Option(
            names = "--queue",
            paramLabel = "NAME",
            converter = ShownQueue.Converter.class,
            description = "a queue that your own program runs: the API and the commands show it. On RabbitMQ it is "
                    + "rabbit:NAME, and rabbit:NAME:key if your program sets ordering: key. May be repeated")
    private List<ShownQueue> queues = List.of();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "settings of your own, YAML or properties, in place of the samples. The brokers and the port "
                    + "of the API are those of this command")
    private @Nullable Path config;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** For picocli. */
    public UpCommand() {}

    @Override
    public Integer call() throws Exception {
        if (noAmqp && queues.stream().anyMatch(ShownQueue::isOnRabbit)) {
            throw new ParameterException(spec.commandLine(), "--queue names a queue on RabbitMQ: leave out --no-amqp");
        }
        if (config != null) {
            checkConfig(config);
        }
        EndSignals.endWith(0);
        ConsoleProgress output = local.output();
        int port = local.apiPort(output);
        try (TemporaryFolder folder = new TemporaryFolder("tandem-run-");
                LocalPlatform platform = local.startPlatform(!noAmqp, output);
                LocalServers servers = new LocalServers(folder.path(), settings(platform), port)) {
            LocalProcess server =
                    config == null ? servers.server(queues.isEmpty()) : servers.server(config.toAbsolutePath());
            // A server with a wrong setting ends before the brokers are up.
            Await.until(
                    LONGEST_START,
                    HEALTH_INTERVAL,
                    () -> platform.hasStarted() || !server.isRunning(),
                    () -> "The brokers have not started");
            if (server.isRunning()) {
                platform.awaitAll();
            }
            if (becomesHealthy(servers, server, output)) {
                new AddressSummary(platform, servers, !noAmqp, shownFirst()).show(output);
                new LogFollower(server, output).follow();
            }
            if (isEnding()) {
                return 0;
            }
            folder.keep();
            output.line((server.isRunning() ? "" : "The server ended with status " + server.exitStatus() + ". ")
                    + "Its log stays at " + server.log());
            return 1;
        }
    }

    private void checkConfig(Path file) {
        if (!queues.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--config and --queue exclude each other: put the queues under tandem.queues of " + file);
        } else if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new ParameterException(
                    spec.commandLine(), "--config: there is no file " + file.toAbsolutePath() + " that can be read");
        }
    }

    private String settings(LocalPlatform platform) {
        if (config != null) {
            return DemoSettings.addresses(platform);
        }
        return queues.isEmpty() ? DemoSettings.samples(platform, !noAmqp) : DemoSettings.shown(platform, queues);
    }

    private String shownFirst() {
        if (config != null) {
            return "QUEUE";
        }
        return queues.isEmpty() ? DemoSettings.SAMPLE : queues.get(0).name();
    }

    /** Waits for the server, and prints why it does not become healthy. */
    private static boolean becomesHealthy(LocalServers servers, LocalProcess server, ConsoleProgress output)
            throws Exception {
        try {
            Await.until(
                    START_TIMEOUT,
                    HEALTH_INTERVAL,
                    () -> servers.isHealthy() || !server.isRunning(),
                    () -> "The server is not healthy");
        } catch (TimeoutException e) {
            output.line(e.getMessage() + ". " + server.logTail());
            return false;
        }
        if (server.isRunning()) {
            return true;
        }
        if (!isEnding()) {
            output.line("The server did not start. " + server.logTail());
        }
        return false;
    }

    /** Returns whether this JVM was told to end, and its processes with it. */
    private static boolean isEnding() {
        Thread none = new Thread(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(none);
            Runtime.getRuntime().removeShutdownHook(none);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }
}
