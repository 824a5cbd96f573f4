package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.DocumentedCalls;
import dev.tandem.testkit.DocumentedCalls.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.MissingParameterException;

/**
 * The calls of {@code ./tandem} in the documentation: the command line takes each of them. The tests of demo, bench and
 * verify do the same for theirs, and {@code DocumentedBlocksTest} for those of server.
 */
class DocumentedCommandsTest {

    /** Commands that programs of other modules carry out. */
    private static final Set<String> OF_OTHERS = Set.of("demo", "up", "server", "bench", "verify");

    @ParameterizedTest
    @MethodSource("callsOfThisProgram")
    void isTaken(Call call) {
        String[] words = call.words().toArray(String[]::new);
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

    @ParameterizedTest
    @MethodSource("callsOfTheScript")
    void isKnownToTheScript(Call call) throws IOException {
        String script = Files.readString(DocumentedBlocks.root().resolve("tandem"));
        Stream.of(call.arguments())
                .filter(word -> word.startsWith("--") && !call.command().equals("test"))
                .forEach(option -> assertThat(script).as(call.toString()).contains(option));
    }

    @Test
    void callsAreFound() {
        assertThat(callsOfThisProgram().filter(Call::whole)).hasSizeGreaterThan(20);
        assertThat(callsOfThisProgram().filter(call -> !call.whole())).hasSizeGreaterThan(20);
    }

    static Stream<Call> callsOfThisProgram() {
        return DocumentedCalls.all()
                .filter(call -> !CompletionCommand.OF_THE_SCRIPT.contains(call.command())
                        && !call.command().isEmpty()
                        && !call.command().startsWith("-"));
    }

    static Stream<Call> callsOfTheScript() {
        return DocumentedCalls.all()
                .filter(call -> CompletionCommand.OF_THE_SCRIPT.contains(call.command())
                        && !OF_OTHERS.contains(call.command()));
    }
}
