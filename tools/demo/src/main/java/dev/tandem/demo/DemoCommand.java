package dev.tandem.demo;

import dev.tandem.kit.ConsoleProgress;
import dev.tandem.kit.TemporaryFolder;
import dev.tandem.local.LocalPlatform;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code ./tandem demo}. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the whole platform on this machine: Kafka, an AMQP broker, Redis, a server and two executors. "
                    + "Publishes the lives of some orders with injected failures and delays, kills an executor, and "
                    + "checks what became of every task. Schedules submit reports, of which "
                    + Firings.MAX_RUNNING + " run at once, and the key of a dead invoice stays halted, for the console "
                    + "to show.",
            ""
        },
        footer = {"", "Exit status: 0 the check passed, 1 it failed or something could not be started, 2 wrong usage."})
public final class DemoCommand implements Callable<Integer> {

    @Mixin
    private final LocalOptions local = new LocalOptions();

    @Option(names = "--exit", description = "leave at once after the check, instead of staying up until Ctrl-C")
    private boolean exit;

    @Option(
            names = "--orders",
            paramLabel = "N",
            description = "how many orders, each with about eight tasks (default: ${DEFAULT-VALUE})",
            defaultValue = "400")
    private int orders;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "over how long they are published (default: ${DEFAULT-VALUE})",
            defaultValue = "12")
    private int seconds;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "the same seed gives the same workload",
            defaultValue = "1")
    private long seed;

    @Option(names = "--no-kill", description = "kill nothing")
    private boolean noKill;

    @Option(names = "--no-amqp", description = "leave the AMQP part out")
    private boolean noAmqp;

    @Option(
            names = "--picture",
            paramLabel = "FILE",
            description = "draw what some orders went through around the kill, as SVG")
    private @Nullable Path picture;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** For picocli. */
    public DemoCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        long startNanos = System.nanoTime();
        if (picture != null && noKill) {
            throw new ParameterException(
                    spec.commandLine(), "--picture draws what happens around the kill: leave out --no-kill");
        }
        ConsoleProgress output = local.output();
        int port = local.apiPort(output);
        output.line("Starting Kafka, " + (noAmqp ? "" : "AMQP, ") + "Redis, a server and two executors");
        try (TemporaryFolder folder = new TemporaryFolder("tandem-run-");
                LocalPlatform platform = local.startPlatform(!noAmqp, output);
                LocalServers servers = new LocalServers(folder.path(), DemoSettings.demo(platform, !noAmqp), port)) {
            Demo.Plan plan =
                    new Demo.Plan(orders, Duration.ofSeconds(seconds), seed, !noAmqp, runName(), !noKill, picture);
            boolean passed = new Demo(plan, platform, servers, output, startNanos).run();
            if (!passed) {
                folder.keep();
                output.line("  What happened is in " + folder.path());
            }
            if (!exit) {
                String halted = new DemoWorkload(seed, !noAmqp, plan.run()).haltedKey();
                new AddressSummary(platform, servers, !noAmqp, DemoWorkload.ORDERS)
                        .show(
                                output,
                                "why " + DemoWorkload.INVOICES + " " + halted,
                                "limits",
                                "schedules list",
                                "dead groups " + DemoWorkload.INVOICES);
                EndSignals.endWith(passed ? 0 : 1);
                AddressSummary.stayUp();
            }
            return passed ? 0 : 1;
        }
    }

    /** Returns what tells the halted key of this run from those of earlier ones with the same Redis. */
    private String runName() {
        return local.namesRedis() ? System.currentTimeMillis() / 1_000 + "-" : "";
    }
}
