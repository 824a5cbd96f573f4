package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.Programs;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Completion by fish: the script has all commands and options, and fish offers them. */
class FishCompletionTest {

    @TempDir
    private Path folder;

    private static String script() {
        StringWriter script = new StringWriter();
        assertThat(TandemCli.programFor("completion")
                        .setOut(new PrintWriter(script))
                        .execute("completion", "fish"))
                .isZero();
        return script.toString();
    }

    @Test
    void everyCommandAndOptionIsInTheScript() {
        String script = script();
        CompletionCommand.OF_THE_SCRIPT.forEach(name -> assertThat(script).contains("_at' -a " + name + "\n"));
        assertComplete(script, "", TandemCli.commandLine());
    }

    private static void assertComplete(String script, String path, CommandLine line) {
        line.getSubcommands().forEach((name, command) -> {
            assertThat(script).contains("'__tandem_at" + path + "' -a " + name);
            String deeper = path + " " + name;
            for (OptionSpec option : command.getCommandSpec().options()) {
                String longest = option.longestName().replaceFirst("^-+", "");
                assertThat(script.lines())
                        .as("option %s of%s", longest, deeper)
                        .anyMatch(each -> each.startsWith("complete -c tandem -n '__tandem_in" + deeper + "'")
                                && each.contains((longest.length() > 1 ? " -l " : " -s ") + longest));
            }
            assertComplete(script, deeper, command);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "tandem exec, executors",
        "tandem dead re, retry",
        "tandem executors --se, --server",
        "tandem queues --output ya, yaml",
        "tandem de, demo"
    })
    void fishCompletesCommandsAndTheirOptions(String typed, String shown) throws Exception {
        Programs.require("fish");
        Path script = Files.writeString(folder.resolve("tandem.fish"), script());
        Programs.Result result = Programs.run(
                List.of("fish", "--no-config", "-c", "source " + script + "; complete -C '" + typed + "'"), "");
        assertThat(result.output()).contains(shown);
    }
}
