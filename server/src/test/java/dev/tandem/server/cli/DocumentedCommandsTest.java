package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.tandem.server.DocumentedQueues;
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
import picocli.CommandLine;
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
    @MethodSource("callsOfThisProgram")
    void namesAQueueThatReadersOfItsPageHave(Call call) {
        String[] words = call.words().toArray(String[]::new);
        try {
            CommandLine.ParseResult parsed = TandemCli.programFor(words).parseArgs(words);
            for (CommandLine.ParseResult at = parsed; at != null; at = at.subcommand()) {
                at.matchedArgs().stream()
                        .filter(each -> each.paramLabel().equals("QUEUE"))
                        .map(each -> each.getValue().toString())
                        .filter(queue -> !DocumentedQueues.isPlaceholder(queue))
                        .forEach(queue -> assertThat(DocumentedQueues.of(call.page()))
                                .as(call.toString())
                                .contains(queue));
            }
        } catch (MissingParameterException e) {
            // A sentence speaks of the command, and not of a queue.
        }
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
