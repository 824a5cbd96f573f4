package dev.tandem.verify;

import dev.tandem.kit.ConsoleProgress;
import dev.tandem.kit.MachineInfo;
import dev.tandem.local.BrokerAddresses;
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
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code ./tandem verify}: injects faults, one trial after another, and judges the recorded histories. */
@Command(
        name = "tandem verify",
        usageHelpAutoWidth = true,
        sortOptions = false,
        description = {
            "Tests whether the guarantees hold under faults. Executors run in separate processes under load;"
                    + " everything they do is recorded and then judged.",
            "Without options a short set of trials runs once, in about ten minutes, on brokers started for it."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:no rule was broken in any trial that could be tried",
            "1:a rule was broken, a fault had no effect, a trial did not finish, or none could be tried",
            "2:the command line is wrong"
        })
public final class Verify implements Callable<Integer> {

    private static final int PASSED = 0;
    private static final int FAILED = 1;

    /** A load average per core above which measured times say little. */
    private static final double BUSY_LOAD = 0.5;

    private static final Duration TERMINAL_INTERVAL = Duration.ofSeconds(1);
    private static final Duration LOG_INTERVAL = Duration.ofSeconds(10);
    private static final int PARTITIONS = 6;
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final int LONG_TASK_EVERY = 700;
    private static final int MAX_LANES = 8;

    /** The format of the report. */
    enum Format {
        table,
        json
    }

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help and exit")
    private boolean help;

    @Option(names = "--list", description = "show the faults and workloads and exit")
    private boolean list;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "FAULT",
            description = "only these faults, separated by commas; see --list. '+' combines faults: kill+redis-forgets")
    private List<String> only = new ArrayList<>();

    @Option(names = "--workload", split = ",", paramLabel = "WORKLOAD", description = "only these workloads")
    private List<String> workloads = new ArrayList<>();

    @Option(
            names = "--soak",
            paramLabel = "TIME",
            description = "repeat all faults under all workloads for this long: 45m, 1h, 90s")
    private @Nullable String soak;

    @Option(names = "--all", description = "all faults under all workloads, once each")
    private boolean all;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "seed of all random choices (default: a new one each time)")
    private @Nullable Long seed;

    @Option(
            names = "--trial-seed",
            paramLabel = "N",
            description = "repeat a trial with this seed, which the report names")
    private @Nullable Long trialSeed;

    @Option(
            names = "--lanes",
            paramLabel = "N",
            description = "how many trials run in parallel, each with its own brokers (default: 1, with --soak 2)")
    private @Nullable Integer lanes;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "lease of the executors (default: ${DEFAULT-VALUE}, as in the product)")
    private String lease = "10s";

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "150",
            description = "tasks published per second (default: ${DEFAULT-VALUE})")
    private int rate;

    @Option(
            names = "--executors",
            paramLabel = "N",
            defaultValue = "2",
            description = "how many executors run at once (default: ${DEFAULT-VALUE})")
    private int executors;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "1",
            description = "how often each trial injects its fault (default: ${DEFAULT-VALUE})")
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
            description = "run no trial: judge again what is recorded in the folder of a run, or of one of its trials")
    private @Nullable Path judge;

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            defaultValue = ".tandem/verify",
            description = "folder for the report and the events of each trial (default: ${DEFAULT-VALUE})")
    private Path folder = Path.of(".tandem/verify");

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            description = "format of the report: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
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
                + (machine.loadPerCore() > BUSY_LOAD ? ": other programs were running, so times are longer" : "");
    }

    @Override
    public Integer call() {
        if (list) {
            printList();
            return 0;
        }
        Path recorded = judge;
        if (recorded != null) {
            return print(checked(() -> RecordedTrials.report(recorded)));
        }
        TrialRunner.Plan plan = plan(Instant.now().truncatedTo(ChronoUnit.SECONDS));
        String machine = machine();
        ConsoleProgress progress = progress();
        progress.line(machine);
        progress.line("seed " + plan.seed() + ", " + plan.cases().size() + " trials"
                + (plan.isRepeated() ? ", repeated for " + plan.duration().toMinutes() + " minutes" : ""));
        Function<TrialRunner, VerifyReport> report = runner -> new VerifyReport(
                version(),
                plan.date().toString(),
                plan.seed(),
                machine,
                runner.extent(),
                runner.products(),
                plan.settings(),
                runner.results());
        TrialRunner runner = new TrialRunner(plan, progress, each -> write(plan.folder(), report.apply(each)));
        try {
            runner.run(laneCount());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return FAILED;
        }
        progress.line("report: " + plan.folder().resolve("report.md"));
        return print(report.apply(runner));
    }

    private void printList() {
        PrintWriter out = command.commandLine().getOut();
        out.println("faults");
        Fault.all().forEach(fault -> out.printf("  %-28s %s%n", fault.name(), fault.description()));
        out.println("workloads");
        for (Workload workload : Workload.values()) {
            out.printf("  %-28s %s%n", workload.label(), workload.description());
        }
        out.flush();
    }

    /** Prints a report and returns the exit status. */
    private int print(VerifyReport report) {
        PrintWriter out = command.commandLine().getOut();
        out.println(output == Format.json ? report.json() : report.markdown());
        out.flush();
        return report.good() ? PASSED : FAILED;
    }

    private ConsoleProgress progress() {
        return ConsoleProgress.of(command.commandLine().getErr(), TERMINAL_INTERVAL, LOG_INTERVAL);
    }

    private TrialRunner.Plan plan(Instant date) {
        TrialSelection selection = checked(() -> new TrialSelection(only, workloads));
        long chosenSeed = seed != null ? seed : new Random().nextInt(Integer.MAX_VALUE);
        boolean shortSet = !all && soak == null && only.isEmpty() && workloads.isEmpty();
        List<TrialCase> cases =
                checked(() -> soak == null ? selection.cases(shortSet) : selection.soakCases(chosenSeed));
        return new TrialRunner.Plan(
                cases,
                checked(this::settings),
                new BrokerAddresses(kafka, rabbit, redis),
                chosenSeed,
                trialSeed,
                soak == null ? Duration.ZERO : duration("--soak", soak),
                date,
                folder.toAbsolutePath().resolve(date.toString().replace(':', '-')));
    }

    private TrialSettings settings() {
        Duration executorLease = duration("--lease", lease);
        Duration retry = soak == null ? Duration.ofSeconds(2) : Duration.ofSeconds(30);
        return new TrialSettings(
                executorLease,
                retry,
                rate,
                executors,
                PARTITIONS,
                WARM_UP,
                rounds,
                soak == null && !all ? 0 : LONG_TASK_EVERY,
                duration("--lenience", lenience),
                TrialSettings.patience(executorLease, retry));
    }

    private int laneCount() {
        boolean ownBrokers = kafka == null && rabbit == null && redis == null;
        int number = lanes != null ? lanes : soak != null && ownBrokers ? 2 : 1;
        if (number < 1 || number > MAX_LANES || (number > 1 && !ownBrokers)) {
            throw new ParameterException(
                    command.commandLine(),
                    "--lanes is " + number + ", it must be "
                            + (ownBrokers ? "1 to " + MAX_LANES : "1 if --kafka, --rabbit or --redis is given"));
        }
        return number;
    }

    private static void write(Path folder, VerifyReport report) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve("report.md"), report.markdown());
            Files.writeString(folder.resolve("report.json"), report.json());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write the report to " + folder, e);
        }
    }

    /** Returns the version of Tandem. */
    static String version() {
        Properties properties = new Properties();
        try (InputStream in = Verify.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read version.properties", e);
        }
        return properties.getProperty("version", "(unknown)");
    }

    /** Reports an illegal argument as an error of the command line. */
    private <T> T checked(Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
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
