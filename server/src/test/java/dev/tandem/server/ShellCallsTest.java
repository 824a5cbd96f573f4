package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.testkit.DocumentedBlocks.Block;
import dev.tandem.testkit.ShellCalls;
import dev.tandem.testkit.ShellCalls.Call;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the calls of programs are read out of the documentation's shell blocks. No program is run. */
class ShellCallsTest {

    @Test
    void aCallHasTheWordsThatTheProgramGets() {
        assertThat(calls("""
                # a comment
                export NAME='two words'
                ./tandem submit orders --payload '{"a": 1}' \\
                    --key "$NAME" > answer && rm answer   # another comment
                """))
                .extracting(Call::words)
                .containsExactly(
                        List.of("./tandem", "submit", "orders", "--payload", "{\"a\": 1}", "--key", "two words"),
                        List.of("rm", "answer"));
    }

    @Test
    void aCallHasWhatItReads() {
        assertThat(calls("""
                echo hello | kcat -P
                python3 - <<'PY'
                print("$HOME")
                PY
                """)).extracting(Call::input).containsExactly("hello\n", "print(\"$HOME\")\n");
    }

    @Test
    void blocksOfAPageShareAShell() {
        Block first = new Block("page.md", 1, "sh", "VERSION=1.0\n");
        Block second = new Block("page.md", 9, "sh", "git tag \"v$VERSION\"\n");

        assertThat(ShellCalls.in(List.of(first, second)))
                .containsExactly(new Call(second, List.of("git", "tag", "v1.0"), ""));
    }

    @Test
    void whatBashDoesNotTakeFails() {
        assertThatThrownBy(() -> calls("redis-cli -p <port> info\n")).hasMessageContaining("port: No such file");
        assertThatThrownBy(() -> calls("echo 'no end\n")).hasMessageContaining("unexpected EOF");
        assertThatThrownBy(() -> calls("# nothing but a comment\n")).hasMessageContaining("called no program");
    }

    private static List<Call> calls(String text) {
        return ShellCalls.in(List.of(new Block("page.md", 1, "sh", text)));
    }
}
