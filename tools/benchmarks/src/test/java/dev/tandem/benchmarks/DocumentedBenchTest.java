package dev.tandem.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.DocumentedCalls;
import dev.tandem.testkit.DocumentedCalls.Call;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.ParseResult;

/** The calls of {@code ./tandem bench} in the documentation: options and scenarios exist. */
class DocumentedBenchTest {

    @ParameterizedTest
    @MethodSource("calls")
    void isTaken(Call call) {
        ParseResult parsed = Bench.commandLine().parseArgs(call.arguments());

        assertThat(scenarios()).containsAll(parsed.matchedPositionalValue(0, List.<String>of()));
    }

    static Stream<Call> calls() {
        return DocumentedCalls.of("bench");
    }

    private static List<String> scenarios() {
        StringWriter out = new StringWriter();
        Bench.commandLine().setOut(new PrintWriter(out, true)).execute("--list");
        return out.toString().lines().map(line -> line.split(" ")[0]).toList();
    }
}
