package dev.tandem.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.Machine;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the benchmarks' command says and how it counts, without a broker. */
class BenchTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter voice = new StringWriter();

    @Test
    void helpNamesTheArguments() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("--tasks", "--duration", "--output", "SCENARIO");
    }

    @Test
    void listNamesEveryScenario() {
        assertThat(run("--list")).isZero();
        assertThat(out.toString())
                .contains("kafka", "rabbit", "lateness", "memory", "recovery", "restart", "stuck", "idle", "scripts");
    }

    @Test
    void anUnknownScenarioIsRefusedWithTheKnownOnes() {
        assertThat(run("kafak")).isEqualTo(2);
        assertThat(voice.toString()).contains("There is no scenario 'kafak', only kafka, rabbit");
    }

    @Test
    void anImpossibleNumberIsRefused() {
        assertThat(run("idle", "--rounds", "0")).isEqualTo(2);
        assertThat(voice.toString()).contains("1 or more");
    }

    @Test
    void theTableSaysWhatIsReachedAndByHowMuchNot() {
        Machine machine = new Machine("Linux", "a processor", 2, 8L << 30, "a Java", 0.1);
        Report report = new Report(
                machine,
                List.of("Kafka 4.3.1"),
                List.of(
                        Measured.of("fast enough", 150_000, "/s", Budget.atLeast(100_000)),
                        Measured.of("too slow", 75_000, "/s", Budget.atLeast(100_000)),
                        Measured.of("too late", 6, "ms", Budget.atMost(4)),
                        Measured.of("none lost", 0, "", Budget.atMost(0)),
                        Measured.told("just told", 1.234, "µs"),
                        Measured.missing("rabbit", "no RabbitMQ here")));

        assertThat(report.table().lines())
                .anySatisfy(line -> assertThat(line).contains("fast enough", "at least 100,000/s", "150,000/s", "yes"))
                .anySatisfy(line -> assertThat(line).contains("too slow", "no, 25 % off"))
                .anySatisfy(line -> assertThat(line).contains("too late", "at most 4 ms", "no, 50 % off"))
                .anySatisfy(line -> assertThat(line).contains("none lost", "none", "yes"))
                .anySatisfy(line -> assertThat(line).contains("just told", "1.23 µs"))
                .anySatisfy(line -> assertThat(line).contains("not measured (no RabbitMQ here)"));
        assertThat(report.reached()).isFalse();
        assertThat(report.json()).contains("\"atLeast\" : 100000.0", "\"reached\" : false");
    }

    @Test
    void mediansAndSpreads() {
        assertThat(Medians.of(List.of(3.0, 1.0, 2.0))).isEqualTo(2);
        assertThat(Medians.of(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(2.5);
        long[] hundred = new long[100];
        for (int i = 0; i < hundred.length; i++) {
            hundred[i] = i + 1;
        }
        assertThat(Spread.of(hundred)).isEqualTo(new Spread(50, 99, 100));
    }

    private int run(String... arguments) {
        CommandLine bench = Bench.commandLine();
        bench.setOut(new PrintWriter(out, true));
        bench.setErr(new PrintWriter(voice, true));
        return bench.execute(arguments);
    }
}
