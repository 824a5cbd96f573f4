package dev.tandem.demo;

import dev.tandem.kit.Await;
import dev.tandem.kit.ConsoleProgress;
import dev.tandem.kit.TemporaryFolder;
import dev.tandem.local.LocalPlatform;
import dev.tandem.local.LocalProcess;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code ./tandem up}. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the platform on this machine, empty, until Ctrl-C: Kafka, an AMQP broker, Redis and a server with a "
                    + "Kafka queue 'orders' and an AMQP queue 'mail', whose tasks are printed.",
            ""
        })
public final class UpCommand implements Callable<Integer> {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(90);
    private static final Duration HEALTH_INTERVAL = Duration.ofMillis(100);

    @Mixin
    private final LocalOptions local = new LocalOptions();

    @Option(names = "--no-amqp", description = "leave the AMQP part out")
    private boolean noAmqp;

    /** For picocli. */
    public UpCommand() {}

    @Override
    public Integer call() throws Exception {
        ConsoleProgress output = local.output();
        try (TemporaryFolder folder = new TemporaryFolder("tandem-run-");
                LocalPlatform platform = local.startPlatform(!noAmqp, output);
                LocalServers servers =
                        new LocalServers(folder.path(), DemoSettings.up(platform, !noAmqp), local.apiPort())) {
            LocalProcess server = servers.server(true);
            platform.awaitAll();
            try {
                Await.until(
                        START_TIMEOUT,
                        HEALTH_INTERVAL,
                        () -> isHealthy(servers, server),
                        () -> "The server is not healthy");
            } catch (TimeoutException e) {
                output.line(e.getMessage() + ". " + server.logTail());
                folder.keep();
                return 1;
            }
            new AddressSummary(platform, servers, !noAmqp).show(output);
            new LogFollower(server, output).follow();
            return 0;
        }
    }

    private static boolean isHealthy(LocalServers servers, LocalProcess server) {
        if (servers.isHealthy()) {
            return true;
        }
        if (!server.isRunning()) {
            throw new IllegalStateException(
                    "The server ended with status " + server.exitStatus() + ". " + server.logTail());
        }
        return false;
    }
}
