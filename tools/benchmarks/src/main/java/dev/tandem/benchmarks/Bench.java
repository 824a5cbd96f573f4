package dev.tandem.benchmarks;

import dev.tandem.local.Machine;
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

/** {@code ./tandem bench}: runs the scenarios one after another and prints one table. */
@Command(
        name = "tandem bench",
        usageHelpAutoWidth = true,
        sortOptions = false,
        description = {
            "Measures Tandem on this machine, on brokers of its own, and prints what came of it beside its budgets.",
            "All scenarios take about nine minutes. Leave the machine alone meanwhile: other work spoils the numbers."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:it was measured, whatever the numbers are",
            "1:a scenario could not be measured, or with --strict a budget was not reached",
            "2:the command line is wrong"
        })
public final class Bench implements Callable<Integer> {

    /** More than this share of the cores at work for others spoils every number here. */
    private static final double QUIET = 0.25;

    private static final Map<String, Scenario> SCENARIOS = named(
            new KafkaThroughput(),
            new RabbitThroughput(),
            new Lateness(),
            new ScheduledMemory(),
            new Recovery(),
            new RollingRestart(),
            new StuckKey(),
            new Idle(),
            new StoreScripts());

    /** How the result is written. */
    enum Format {
        table,
        json
    }

    @Parameters(
            paramLabel = "SCENARIO",
            arity = "0..*",
            description = "what to measure; all of them if none is named. --list shows them")
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
            description =
                    "tasks of a throughput or memory run (default: 500000 from Kafka, 60000 from RabbitMQ, 100000 for memory)")
    private int tasks;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "8",
            description = "of a Kafka topic, or sub-queues (default: ${DEFAULT-VALUE})")
    private int partitions;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "1000",
            description = "tasks running at once in throughput runs (default: ${DEFAULT-VALUE})")
    private int concurrency;

    @Option(
            names = "--rival-threads",
            paramLabel = "N",
            defaultValue = "64",
            description = "of the parallel consumer that the kafka scenario compares with (default: ${DEFAULT-VALUE})")
    private int rivalThreads;

    @Option(
            names = "--duration",
            paramLabel = "S",
            description = "seconds of each run that has a rate (default: each scenario's own)")
    private int seconds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "of what is repeated; medians are told, or the worst (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--lease-millis", hidden = true, defaultValue = "10000")
    private int leaseMillis;

    @Option(names = "--kafka", paramLabel = "HOST:PORT", description = "use this Kafka instead of one of its own")
    private @Nullable String kafka;

    @Option(names = "--rabbit", paramLabel = "URI", description = "use this RabbitMQ")
    private @Nullable String rabbit;

    @Option(names = "--redis", paramLabel = "URI", description = "use this Redis; nobody else may use it meanwhile")
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
        PrintWriter voice = command.commandLine().getErr();
        if (list) {
            SCENARIOS.values().forEach(each -> out.printf("%-10s %s%n", each.name(), each.about()));
            return 0;
        }
        List<Scenario> chosen = chosen();
        Machine machine = Machine.here();
        voice.println(machine.text(Report.LOAD));
        if (machine.loadOfCore() >= QUIET) {
            voice.println("Other work is running on this machine: no number of this run is worth quoting.");
        }
        voice.flush();
        List<Measured> lines = new ArrayList<>();
        List<String> brokers;
        boolean failed = false;
        try (Lab lab = new Lab(sizes(), new Lab.Addresses(kafka, rabbit, redis), voice)) {
            for (Scenario scenario : chosen) {
                voice.println(scenario.name() + ": " + scenario.about());
                voice.flush();
                failed |= !measure(scenario, lab, lines);
                lab.next();
            }
            brokers = lab.products();
        }
        Report report = new Report(machine, brokers, lines);
        out.println(output == Format.json ? report.json() : report.table());
        out.flush();
        return failed || (strict && !report.reached()) ? 1 : 0;
    }

    private static boolean measure(Scenario scenario, Lab lab, List<Measured> lines) {
        try {
            lines.addAll(scenario.run(lab));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            lines.add(Measured.missing(scenario.name(), "interrupted"));
        } catch (Exception e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            lab.say("%s", why);
            lines.add(Measured.missing(scenario.name(), why.lines().findFirst().orElse("")));
        }
        return false;
    }

    private Sizes sizes() {
        try {
            return new Sizes(
                    tasks,
                    partitions,
                    concurrency,
                    rivalThreads,
                    Duration.ofSeconds(seconds),
                    rounds,
                    Duration.ofMillis(leaseMillis));
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
