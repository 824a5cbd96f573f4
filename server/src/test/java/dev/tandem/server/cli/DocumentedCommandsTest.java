package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.tandem.server.cli.DocumentedCalls.Call;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.MissingParameterException;

/** The calls of {@code ./tandem} in the documentation: the command line takes each of them. */
class DocumentedCommandsTest {

    @ParameterizedTest
    @MethodSource("calls")
    void isTaken(Call call) {
        String[] words = call.words();
        if (words.length == 0 || CompletionCommand.OF_THE_SCRIPT.contains(words[0]) || words[0].startsWith("-")) {
            return; // by another program
        }
        assertThatCode(() -> {
                    try {
                        TandemCli.programFor(words).parseArgs(words);
                    } catch (MissingParameterException e) {
                        if (call.whole()) {
                            throw e;
                        }
                    }
                })
                .doesNotThrowAnyException();
    }

    @Test
    void callsAreFound() throws IOException {
        assertThat(calls().filter(Call::whole)).hasSizeGreaterThan(20);
        assertThat(calls().filter(call -> !call.whole())).hasSizeGreaterThan(20);
    }

    static Stream<Call> calls() throws IOException {
        return DocumentedCalls.in(DocumentedCalls.allPages());
    }
}
