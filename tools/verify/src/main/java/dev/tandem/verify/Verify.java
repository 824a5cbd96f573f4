package dev.tandem.verify;

import dev.tandem.kit.MachineInfo;
import dev.tandem.verify.TrialRunner.TrialCase;
import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.load.Workload;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./tandem verify}: strikes with faults, one after another, and judges what was recorded. */
@Command(
        name = "tandem verify",
        usageHelpAutoWidth = true,
        sortOptions = false,
        description = {
            "Shows whether the guarantees hold: executors in processes of their own work under load while things go wrong;"
                    + " what all of them did is recorded and judged.",
            "Without options a short set runs, once each, in about nine minutes, on brokers of its own."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:every rule was kept in every trial that could be had here",
            "1:a rule was broken, a fault hit nothing, or a trial could not be carried out, or none could be had here",
            "2:the command line is wrong"
        })
public final class Verify implements Callable<Integer> {

    /** More than this share of the cores at work for others, and no time that is measured says much. */
    private static final double BUSY = 0.5;

    /** How the result is written. */
    enum Format {
        table,
        json
    }

    /** Combinations that chance adds to a soak. */
    private static final int COMBINED = 20;

    /** Those of the short set, where nothing else is said. */
    private static final List<String> SHORT = List.of(
            "none kafka-zipf",
            "kill kafka-zipf",
            "freeze kafka-zipf",
            "freeze-settle kafka-distinct",
            "redis-forgets kafka-zipf",
            "rolling kafka-zipf",
            "kafka-restart kafka-zipf",
            "partition-both kafka-zipf",
            "kill rabbit-ordered",
            "kill rabbit-unordered");

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help and end")
    private boolean help;

    @Option(names = "--list", description = "show the faults and workloads and end")
    private boolean list;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "FAULT",
            description =
                    "only these faults, separated by commas; --list shows them. With '+' several at once: kill+redis-forgets")
    private List<String> only = new ArrayList<>();

    @Option(names = "--workload", split = ",", paramLabel = "WORKLOAD", description = "only these workloads")
    private List<String> workloads = new ArrayList<>();

    @Option(
            names = "--soak",
            paramLabel = "TIME",
            description = "all faults under all workloads, over and over, for so long: 45m, 1h, 90s")
    private @Nullable String soak;

    @Option(names = "--all", description = "all faults under all workloads, once each")
    private boolean all;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "what follows from chance follows from this (default: another one each time)")
    private @Nullable Long seed;

    @Option(
            names = "--trial-seed",
            paramLabel = "N",
            description = "of each trial, as a report names it: repeats that trial")
    private @Nullable Long trialSeed;

    @Option(
            names = "--lanes",
            paramLabel = "N",
            description = "trials at once, each lane with brokers of its own (default: 1, with --soak 2)")
    private @Nullable Integer lanes;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "of the executors (default: ${DEFAULT-VALUE}, the product's own)")
    private String lease = "10s";

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "150",
            description = "tasks published in a second (default: ${DEFAULT-VALUE})")
    private int rate;

    @Option(
            names = "--executors",
            paramLabel = "N",
            defaultValue = "2",
            description = "that run at once (default: ${DEFAULT-VALUE})")
    private int executors;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "1",
            description = "of its fault in each trial (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--lenience", hidden = true, defaultValue = "0s")
    private String lenience = "0s";

    @Option(names = "--kafka", paramLabel = "HOST:PORT", description = "use this Kafka; it is not restarted")
    private @Nullable String kafka;

    @Option(names = "--rabbit", paramLabel = "URI", description = "use this RabbitMQ; it is not restarted")
    private @Nullable String rabbit;

    @Option(names = "--redis", paramLabel = "URI", description = "use this Redis; it is not restarted")
    private @Nullable String redis;

    @Option(
            names = "--judge",
            paramLabel = "DIR",
            description = "run nothing: judge again what is recorded in the folder of a run, or of one of its trials")
    private @Nullable Path judge;

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            defaultValue = ".tandem/verify",
            description = "for the report and the events of each trial (default: ${DEFAULT-VALUE})")
    private Path folder = Path.of(".tandem/verify");

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
        return new CommandLine(new Verify()).setCaseInsensitiveEnumValuesAllowed(true);
    }

    private static String machine() {
        MachineInfo machine = MachineInfo.current();
        return machine.text("load average at the start")
                + (machine.loadPerCore() > BUSY ? ": other work ran on it, so times are longer than they need be" : "");
    }

    @Override
    public Integer call() {
        PrintWriter out = command.commandLine().getOut();
        if (list) {
            out.println("faults");
            Fault.all().forEach(each -> out.printf("  %-28s %s%n", each.name(), each.about()));
            out.println("workloads");
            for (Workload each : Workload.values()) {
                out.printf("  %-28s %s%n", each.text(), each.about());
            }
            out.flush();
            return 0;
        }
        if (judge != null) {
            return judgeAgain(judge, out);
        }
        List<TrialCase> pairs = pairs();
        TrialSettings sizes = sizes();
        long chosen = seed != null ? seed : new Random().nextInt(Integer.MAX_VALUE);
        Duration time = soak == null ? Duration.ZERO : duration("--soak", soak);
        ProgressDisplay progress = new ProgressDisplay(command.commandLine().getErr());
        String machine = machine();
        progress.line(machine);
        progress.line("seed " + chosen + ", " + pairs.size() + " trials"
                + (time.isZero() ? "" : ", over and over for " + time.toMinutes() + " minutes"));
        String date = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        Path run = folder.toAbsolutePath().resolve(date.replace(':', '-'));
        List<TrialCase> order = new ArrayList<>(pairs);
        if (!time.isZero()) {
            // Whenever it ends, some of everything was tried; what the list does not have comes when all that it has
            // was.
            Collections.shuffle(order, new Random(chosen));
            order.addAll(combined(new Random(chosen)));
        }
        Function<TrialRunner, VerifyReport> report = lanes -> new VerifyReport(
                version(), date, chosen, machine, lanes.extent(), lanes.products(), sizes, lanes.results());
        TrialRunner all = new TrialRunner(
                order,
                sizes,
                new TestBrokers.Addresses(kafka, rabbit, redis),
                chosen,
                trialSeed,
                time,
                run,
                progress,
                lanes -> write(run, report.apply(lanes)));
        try {
            all.run(lanes());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
        VerifyReport result = report.apply(all);
        progress.line("report: " + run.resolve("report.md"));
        out.println(output == Format.json ? result.json() : result.markdown());
        out.flush();
        return result.good() ? 0 : 1;
    }

    private int judgeAgain(Path recorded, PrintWriter out) {
        VerifyReport report;
        try {
            report = RecordedTrials.report(recorded);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        out.println(output == Format.json ? report.json() : report.markdown());
        out.flush();
        return report.good() ? 0 : 1;
    }

    /** Two faults at once, which the list does not have. */
    private List<TrialCase> combined(Random random) {
        List<Workload> every = List.of(Workload.values());
        List<TrialCase> pairs = new ArrayList<>();
        while (only.isEmpty() && pairs.size() < COMBINED) {
            Fault fault = Fault.anyTwo(random);
            Workload workload = every.get(random.nextInt(every.size()));
            boolean wanted = workloads.isEmpty() || workloads.contains(workload.text());
            if (wanted && fault.suits(workload.isRabbit())) {
                pairs.add(new TrialCase(fault, workload));
            }
        }
        return pairs;
    }

    private int lanes() {
        boolean own = kafka == null && rabbit == null && redis == null;
        int number = lanes != null ? lanes : soak != null && own ? 2 : 1;
        if (number < 1 || number > 8 || (number > 1 && !own)) {
            throw new ParameterException(
                    command.commandLine(),
                    "--lanes is " + number + ", it must be " + (own ? "1 to 8" : "1 where brokers are named"));
        }
        return number;
    }

    private static void write(Path run, VerifyReport report) {
        try {
            Files.createDirectories(run);
            Files.writeString(run.resolve("report.md"), report.markdown());
            Files.writeString(run.resolve("report.json"), report.json());
        } catch (IOException e) {
            throw new UncheckedIOException("The report could not be written", e);
        }
    }

    /** Of Tandem. */
    static String version() {
        Properties properties = new Properties();
        try (InputStream in = Verify.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "(unknown)");
    }

    private TrialSettings sizes() {
        try {
            Duration leases = duration("--lease", lease);
            Duration retry = soak == null ? Duration.ofSeconds(2) : Duration.ofSeconds(30);
            return new TrialSettings(
                    leases,
                    retry,
                    rate,
                    executors,
                    6,
                    Duration.ofSeconds(3),
                    rounds,
                    soak == null && !all ? 0 : 700,
                    duration("--lenience", lenience),
                    TrialSettings.patience(leases, retry));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    private List<TrialCase> pairs() {
        List<Workload> chosen;
        List<Fault> faults;
        try {
            chosen = workloads.isEmpty()
                    ? List.of(Workload.values())
                    : workloads.stream().map(Workload::of).toList();
            faults = only.isEmpty() ? Fault.all() : only.stream().map(Fault::of).toList();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        boolean everything = all || soak != null || !only.isEmpty() || !workloads.isEmpty();
        List<TrialCase> pairs = new ArrayList<>();
        for (Fault fault : faults) {
            for (Workload workload : chosen) {
                boolean wanted = everything || SHORT.contains(fault.name() + " " + workload);
                if (wanted && fault.suits(workload.isRabbit())) {
                    pairs.add(new TrialCase(fault, workload));
                }
            }
        }
        if (pairs.isEmpty()) {
            throw new ParameterException(
                    command.commandLine(),
                    "Nothing is left: " + faults.stream().map(Fault::name).collect(Collectors.joining(", "))
                            + " can't strike " + chosen);
        }
        return pairs;
    }

    private Duration duration(String option, String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        try {
            if (lower.endsWith("ms")) {
                return Duration.ofMillis(Long.parseLong(lower.substring(0, lower.length() - 2)));
            }
            return Duration.parse("PT" + text);
        } catch (RuntimeException e) {
            throw new ParameterException(
                    command.commandLine(), option + " is '" + text + "', it must be like 500ms, 90s, 45m or 1h", e);
        }
    }
}
