package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.tandem.testkit.DocumentedCalls;
import dev.tandem.testkit.DocumentedCalls.Call;
import dev.tandem.testkit.KeptHelp;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParseResult;

/** The calls of {@code ./tandem verify} in the documentation: options, faults and workloads exist. And its help. */
class DocumentedVerifyTest {

    @ParameterizedTest
    @MethodSource("calls")
    void isTaken(Call call) {
        assertThatCode(() -> {
                    try {
                        ParseResult parsed = Verify.commandLine().parseArgs(call.arguments());
                        new TrialSelection(
                                parsed.matchedOptionValue("--only", List.of()),
                                parsed.matchedOptionValue("--workload", List.of()));
                    } catch (MissingParameterException e) {
                        if (call.whole()) {
                            throw e;
                        }
                    }
                })
                .doesNotThrowAnyException();
    }

    /** With {@code -Dhelp=write} this writes the file. */
    @Test
    void theHelpIsKeptForThoseWhoHaveBuiltNothing() {
        String help = Verify.commandLine()
                .setUsageHelpAutoWidth(false)
                .setUsageHelpWidth(110)
                .getUsageMessage(CommandLine.Help.Ansi.OFF);

        assertThat(KeptHelp.of("verify", help)).isEqualTo(help);
    }

    static Stream<Call> calls() {
        return DocumentedCalls.of("verify");
    }
}
