package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.Programs;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Completion by zsh in a terminal that has read the script of {@code ./tandem completion}. */
class ZshCompletionTest {

    /** Types into a zsh of its own terminal, and ends once that has printed what is expected, or never will. */
    private static final String TERMINAL = """
            zmodload zsh/zpty
            export HOME=$1 TERM=dumb
            zpty -b inner 'zsh -f -i'
            shown=
            expect() {
              local some end=$((SECONDS + 30))
              until [[ $shown == *$1* ]]; do
                (( SECONDS < end )) || { print -r -- "no '$1' in: $shown"; exit 1; }
                zpty -rt inner some && shown+=$some || sleep 0.05
              done
            }
            zpty -w inner "source $1/completion; echo is-${:-read}"
            expect is-read
            shown=
            zpty -w -n inner "$2"$'\\t'
            expect "$3"
            zpty -d inner
            """;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "./tandem exec, ./tandem executors",
        "./tandem dead re, ./tandem dead retry",
        "./tandem executors --se, ./tandem executors --server",
        "./tandem de, demo"
    })
    void zshCompletesCommandsAndTheirOptions(String typed, String shown) throws Exception {
        Programs.require("zsh");
        StringWriter script = new StringWriter();
        TandemCli.programFor("completion").setOut(new PrintWriter(script)).execute("completion");
        Files.writeString(folder.resolve("completion"), script.toString());
        Path terminal = Files.writeString(folder.resolve("terminal.zsh"), TERMINAL);

        Programs.Result result = Programs.run(
                List.of("zsh", "-f", terminal.toString(), folder.toRealPath().toString(), typed, shown), "");

        assertThat(result.status()).as(result.output()).isZero();
    }
}
