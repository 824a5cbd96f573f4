package dev.tandem.demo;

import dev.tandem.local.LocalProcess;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
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

    @Mixin
    private final LocalOptions local = new LocalOptions();

    @Option(names = "--no-amqp", description = "leave the AMQP part out")
    private boolean noAmqp;

    /** For picocli. */
    public UpCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        ProgressOutput output = ProgressOutput.standard();
        TemporaryRunFolder folder = new TemporaryRunFolder();
        LocalBrokers brokers = new LocalBrokers(local.existing(), !noAmqp, output::say);
        LocalServers servers = new LocalServers(folder.path(), DemoSettings.up(brokers, !noAmqp), local.apiPort());
        try {
            LocalProcess server = servers.server(true);
            brokers.awaitAll();
            if (!awaitHealthy(servers, server)) {
                output.say("The server is not healthy after " + START_TIMEOUT.toSeconds() + " s. " + server.logTail());
                folder.keep();
                return 1;
            }
            new AddressSummary(brokers, servers, !noAmqp).show(output);
            new LogFollower(server, output).follow();
            return 0;
        } finally {
            servers.close();
            brokers.close();
        }
    }

    private static boolean awaitHealthy(LocalServers servers, LocalProcess server) throws InterruptedException {
        long end = System.nanoTime() + START_TIMEOUT.toNanos();
        while (System.nanoTime() < end) {
            if (servers.isHealthy()) {
                return true;
            }
            if (!server.isRunning()) {
                throw new IllegalStateException(
                        "The server ended with status " + server.exitStatus() + ". " + server.logTail());
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        return false;
    }
}
