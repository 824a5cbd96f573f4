package dev.tandem.demo;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.tandem.server.cli.TandemCli;
import dev.tandem.testkit.DocumentedCalls;
import dev.tandem.testkit.DocumentedCalls.Call;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The calls of {@code ./tandem demo} and {@code ./tandem up} in the documentation: the command line takes them. */
class DocumentedDemoTest {

    @ParameterizedTest
    @MethodSource("calls")
    void isTaken(Call call) {
        assertThatCode(() -> TandemCli.commandLine(new DemoCli())
                        .parseArgs(call.words().toArray(String[]::new)))
                .doesNotThrowAnyException();
    }

    static Stream<Call> calls() {
        return DocumentedCalls.of("demo", "up");
    }
}
