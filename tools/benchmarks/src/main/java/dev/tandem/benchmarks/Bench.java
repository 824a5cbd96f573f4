package dev.tandem.benchmarks;

import dev.tandem.kit.MachineInfo;
import dev.tandem.local.BrokerAddresses;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code ./tandem bench}: runs scenarios one after another and prints one table. */
@Command(
        name = "tandem bench",
        usageHelpAutoWidth = true,
        sortOptions = false,
        description = {
            "Measures Tandem on this machine, with brokers of its own, and prints the results with their budgets.",
            "All scenarios take about twenty minutes. Do not use the machine meanwhile: other work distorts numbers."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:every scenario was measured, whatever the numbers are",
            "1:a scenario could not be measured, or with --strict a budget was not reached",
            "2:the command line is wrong"
        })
public final class Bench implements Callable<Integer> {

    /** From this load per core on, other work distorts the numbers. */
    private static final double BUSY = 0.25;

    private static final Map<String, Scenario> SCENARIOS = named(
            new KafkaThroughput(),
            new ColdProcess(),
            new ServerStart(),
            new RabbitThroughput(),
            new Lateness(),
            new DueAtOnce(),
            new FirstTask(),
            new ScheduledMemory(),
            new CrashRecovery(),
            new RollingRestart(),
            new StuckKey(),
            new OutboxRate(),
            new BatchRate(),
            new IdleQueue(),
            new StoreScripts(),
            new EventRate(),
            new ClientRate(),
            new PullRate(),
            new BatchSubmitRate(),
            new ConsoleScale());

    /** The form of the result. */
    enum Format {
        table,
        json
    }

    @Parameters(
            paramLabel = "SCENARIO",
            arity = "0..*",
            description = "what to measure (default: all scenarios, see --list)")
    private List<String> scenarios = new ArrayList<>();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help and end")
    private boolean help;

    @Option(names = "--list", description = "show the scenarios and end")
    private boolean list;

    @Option(
            names = "--tasks",
            paramLabel = "N",
            description = "tasks of a throughput or memory run (default: 500000 from Kafka, 60000 from RabbitMQ,"
                    + " 200000 that fall due, 100000 for memory, 10000000 for the console)")
    private int tasks;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "8",
            description = "partitions of a Kafka topic, or sub-queues of RabbitMQ (default: ${DEFAULT-VALUE})")
    private int partitions;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "1000",
            description = "tasks that run at the same time in throughput runs (default: ${DEFAULT-VALUE})")
    private int concurrency;

    @Option(
            names = "--rival-threads",
            paramLabel = "N",
            defaultValue = "64",
            description = "threads of the parallel consumer, with which the kafka scenario compares"
                    + " (default: ${DEFAULT-VALUE})")
    private int rivalThreads;

    @Option(
            names = "--duration",
            paramLabel = "S",
            description = "seconds of each run at a fixed rate (default: each scenario's own)")
    private int seconds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description =
                    "how often runs are repeated; the median is reported, or the worst (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(
            names = "--page-millis",
            paramLabel = "MS",
            defaultValue = "150",
            description = "budget of the console scenario for a page, at the server (default: ${DEFAULT-VALUE})")
    private double pageMillis;

    @Option(
            names = "--redis-millis",
            paramLabel = "MS",
            defaultValue = "10",
            description = "the same for what a page takes of Redis's time (default: ${DEFAULT-VALUE})")
    private double redisMillis;

    @Option(names = "--lease-millis", hidden = true, defaultValue = "10000")
    private int leaseMillis;

    @Option(names = "--kafka", paramLabel = "HOST:PORT", description = "use this Kafka instead of starting one")
    private @Nullable String kafka;

    @Option(names = "--rabbit", paramLabel = "URI", description = "use this RabbitMQ instead of starting one")
    private @Nullable String rabbit;

    @Option(
            names = "--redis",
            paramLabel = "URI",
            description = "use this Redis instead of starting one; nothing else may use it meanwhile")
    private @Nullable String redis;

    @Option(names = "--strict", description = "exit status 1 if a budget is not reached")
    private boolean strict;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private Format output = Format.table;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Bench()).setCaseInsensitiveEnumValuesAllowed(true);
    }

    private static Map<String, Scenario> named(Scenario... all) {
        Map<String, Scenario> map = new LinkedHashMap<>();
        for (Scenario scenario : all) {
            map.put(scenario.name(), scenario);
        }
        return map;
    }

    @Override
    public Integer call() {
        PrintWriter out = command.commandLine().getOut();
        PrintWriter progress = command.commandLine().getErr();
        if (list) {
            SCENARIOS.values().forEach(each -> out.printf("%-10s %s%n", each.name(), each.about()));
            return 0;
        }
        List<Scenario> chosen = chosen();
        MachineInfo machine = MachineInfo.current();
        progress.println(machine.text(BenchReport.LOAD));
        if (machine.loadPerCore() >= BUSY) {
            progress.println("Other work is running on this machine, so do not rely on the numbers of this run.");
        }
        progress.flush();
        List<Measurement> lines = new ArrayList<>();
        List<String> brokers;
        boolean failed = false;
        try (ScenarioContext context =
                new ScenarioContext(sizes(), new BrokerAddresses(kafka, rabbit, redis), progress)) {
            for (Scenario scenario : chosen) {
                progress.println(scenario.name() + ": " + scenario.about());
                progress.flush();
                failed |= !measure(scenario, context, lines);
                context.next();
            }
            brokers = context.brokers().products();
        }
        BenchReport report = new BenchReport(machine, brokers, lines);
        out.println(output == Format.json ? report.json() : report.table());
        out.flush();
        return failed || (strict && !report.allReached()) ? 1 : 0;
    }

    private static boolean measure(Scenario scenario, ScenarioContext context, List<Measurement> lines) {
        try {
            lines.addAll(scenario.run(context));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            lines.add(Measurement.missing(scenario.name(), "interrupted"));
        } catch (Exception e) {
            String reason = e.getMessage() == null ? e.toString() : e.getMessage();
            context.say("%s", reason);
            lines.add(Measurement.missing(
                    scenario.name(), reason.lines().findFirst().orElse("")));
        }
        return false;
    }

    private BenchSizes sizes() {
        try {
            return new BenchSizes(
                    tasks,
                    partitions,
                    concurrency,
                    rivalThreads,
                    Duration.ofSeconds(seconds),
                    rounds,
                    Duration.ofMillis(leaseMillis),
                    pageMillis,
                    redisMillis);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    private List<Scenario> chosen() {
        if (scenarios.isEmpty()) {
            return List.copyOf(SCENARIOS.values());
        }
        List<Scenario> chosen = new ArrayList<>();
        for (String name : scenarios) {
            Scenario scenario = SCENARIOS.get(name);
            if (scenario == null) {
                throw new ParameterException(
                        command.commandLine(),
                        "There is no scenario '" + name + "', only " + String.join(", ", SCENARIOS.keySet()));
            }
            chosen.add(scenario);
        }
        return chosen;
    }
}
