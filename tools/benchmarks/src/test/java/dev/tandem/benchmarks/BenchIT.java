package dev.tandem.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.Brokers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs scenarios with small sizes. Does not judge the numbers, since the machine is busy while tests run. The ordinary run has the
 * short ones; {@code -Dbenchmarks=all} runs every scenario.
 */
@Execution(ExecutionMode.CONCURRENT)
class BenchIT {

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "kafka, 10",
        "rabbit, 16",
        "due, 4",
        "outbox, 3",
        "batch, 3",
        "scripts, 13",
        "events, 2",
        "idle, 2",
        "client, 9"
    })
    void scenarioMeasuresEveryLine(String scenario, int lines) {
        assertMeasured(scenario, lines);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "cold, 8",
        "start, 4",
        "lateness, 9",
        "memory, 2",
        "recovery, 2",
        "restart, 3",
        "first, 3",
        "stuck, 3",
        "pull, 2",
        "batch-submit, 1"
    })
    @EnabledIfSystemProperty(named = "benchmarks", matches = "all")
    void longScenarioMeasuresEveryLine(String scenario, int lines) {
        assertMeasured(scenario, lines);
    }

    @Test
    @EnabledIfSystemProperty(named = "benchmarks", matches = "all")
    void consoleMeasuresEveryPage() {
        assertThat(measured("console")).hasSizeGreaterThan(2 * ConsoleRoutes.ALL.size());
    }

    private static void assertMeasured(String scenario, int lines) {
        assertThat(measured(scenario)).hasSize(lines);
    }

    /** Runs a scenario and returns the lines that it has measured. */
    private static JsonNode measured(String scenario) {
        List<String> arguments = new ArrayList<>(List.of(scenario, "--output", "json"));
        arguments.addAll(small());
        arguments.addAll(List.of("--kafka", Brokers.kafka().bootstrapServers()));
        arguments.addAll(List.of("--redis", Brokers.redis().uri()));
        if (scenario.equals("recovery")) {
            arguments.addAll(List.of("--lease-millis", "2000"));
        }
        if (scenario.equals("rabbit") || scenario.equals("client")) {
            arguments.addAll(List.of("--rabbit", Brokers.rabbit().uri()));
        }
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();

        int status = run(out, err, arguments.toArray(String[]::new));

        assertThat(status).as(err + "\n" + out).isZero();
        JsonNode result = JsonMapper.builder().build().readTree(out.toString());
        assertThat(result.path("machine").path("cores").asInt()).isPositive();
        assertThat(result.path("measured"))
                .allSatisfy(line -> assertThat(line.path("measured").isNumber()).isTrue());
        return result.path("measured");
    }

    private static List<String> small() {
        return Arrays.asList(("--tasks 300 --partitions 2 --concurrency 64 --duration 1 --rounds 1").split(" "));
    }

    private static int run(StringWriter out, StringWriter err, String... arguments) {
        CommandLine bench = Bench.commandLine();
        bench.setOut(new PrintWriter(out, true));
        bench.setErr(new PrintWriter(err, true));
        return bench.execute(arguments);
    }
}
