package dev.tandem.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.kit.MachineInfo;
import dev.tandem.testkit.KeptHelp;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The command line and the report of the benchmarks, without a broker. */
class BenchTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void helpNamesTheArguments() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("--tasks", "--duration", "--output", "SCENARIO");
    }

    /** With {@code -Dhelp=write} this writes the file. */
    @Test
    void theHelpIsKeptForThoseWhoHaveBuiltNothing() {
        String help = Bench.commandLine()
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(110)
                .getUsageMessage(CommandLine.Help.Ansi.OFF);

        assertThat(KeptHelp.of("bench", help)).isEqualTo(help);
    }

    @Test
    void listNamesEveryScenario() {
        assertThat(run("--list")).isZero();
        assertThat(out.toString())
                .contains(
                        "kafka",
                        "cold",
                        "start",
                        "rabbit",
                        "lateness",
                        "due",
                        "first",
                        "memory",
                        "recovery",
                        "restart",
                        "stuck",
                        "outbox",
                        "batch",
                        "idle",
                        "scripts",
                        "events",
                        "client",
                        "batch-submit",
                        "console");
    }

    @Test
    void refusesAnUnknownScenarioAndNamesTheKnownOnes() {
        assertThat(run("kafak")).isEqualTo(2);
        assertThat(err.toString()).contains("There is no scenario 'kafak', only kafka, cold");
    }

    @Test
    void refusesAnImpossibleNumber() {
        assertThat(run("idle", "--rounds", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("1 or more");
    }

    @Test
    void tableShowsWhichBudgetsAreReachedAndByHowMuchOthersAreMissed() {
        MachineInfo machine = new MachineInfo("Linux", "a processor", 2, 8L << 30, "a Java", 0.1);
        BenchReport report = new BenchReport(
                machine,
                List.of("Kafka 4.3.1"),
                List.of(
                        Measurement.of("fast enough", 150_000, "/s", Budget.atLeast(100_000)),
                        Measurement.of("too slow", 75_000, "/s", Budget.atLeast(100_000)),
                        Measurement.of("too late", 6, "ms", Budget.atMost(4)),
                        Measurement.of("none lost", 0, "", Budget.atMost(0)),
                        Measurement.withoutBudget("just told", 1.234, "µs"),
                        Measurement.missing("rabbit", "no RabbitMQ here")));

        assertThat(report.table().lines())
                .anySatisfy(line -> assertThat(line).contains("fast enough", "at least 100,000/s", "150,000/s", "yes"))
                .anySatisfy(line -> assertThat(line).contains("too slow", "no, 25 % off"))
                .anySatisfy(line -> assertThat(line).contains("too late", "at most 4 ms", "no, 50 % off"))
                .anySatisfy(line -> assertThat(line).contains("none lost", "none", "yes"))
                .anySatisfy(line -> assertThat(line).contains("just told", "1.23 µs"))
                .anySatisfy(line -> assertThat(line).contains("not measured (no RabbitMQ here)"));
        assertThat(report.allReached()).isFalse();
        assertThat(report.json()).contains("\"atLeast\" : 100000.0", "\"reached\" : false");
    }

    @Test
    void medianIsTheMiddleValueOrTheMeanOfTwo() {
        assertThat(Median.of(List.of(3.0, 1.0, 2.0))).isEqualTo(2);
        assertThat(Median.of(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(2.5);
    }

    private int run(String... arguments) {
        CommandLine bench = Bench.commandLine();
        bench.setOut(new PrintWriter(out, true));
        bench.setErr(new PrintWriter(err, true));
        return bench.execute(arguments);
    }
}
