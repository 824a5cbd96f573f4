package dev.tandem.server.demo;

import dev.tandem.local.LocalProcess;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./tandem up}. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the platform on this machine, empty, until Ctrl-C: Kafka, an AMQP broker, Redis and a server with a "
                    + "Kafka queue 'orders' and an AMQP queue 'mail', whose tasks are printed.",
            ""
        })
public final class UpCommand implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @Mixin
    private final LocalOptions local = new LocalOptions();

    @Option(names = "--no-amqp", description = "leave the AMQP part out")
    private boolean noAmqp;

    /** For picocli. */
    public UpCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        Screen screen = Screen.standard();
        RunFolder folder = new RunFolder();
        LocalBrokers brokers = new LocalBrokers(local.given(), !noAmqp, screen::say);
        LocalServers servers = new LocalServers(folder.path(), DemoSettings.up(brokers, !noAmqp), local.apiPort());
        try {
            LocalProcess server = servers.server(true);
            brokers.awaitAll();
            if (!awaitHealthy(servers, server)) {
                screen.say("The server is not healthy after " + PATIENCE.toSeconds() + " s. " + server.logTail());
                folder.keep();
                return 1;
            }
            new Addresses(brokers, servers, !noAmqp).show(screen);
            new LogFollower(server, screen).follow();
            return 0;
        } finally {
            servers.close();
            brokers.close();
        }
    }

    private static boolean awaitHealthy(LocalServers servers, LocalProcess server) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            if (servers.health().equals("UP")) {
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
