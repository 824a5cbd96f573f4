package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The commands of {@code ./tandem}: all of them are in its help, and in the completion. */
class HelpTest {

    private static final Path SCRIPT = Path.of("../tandem");

    /** A line of the help that begins with names of commands, such as "    pause, resume    start no task". */
    private static final Pattern IN_THE_HELP = Pattern.compile("(?m)^ {4}([\\w-]+(?:, [\\w-]+)*)(?: {2,}|$| [\\[<])");

    /** A branch of the script's last case, such as "  demo | up)". */
    private static final Pattern IN_THE_SCRIPT = Pattern.compile("(?m)^ {2}([\\w |-]+)\\)$");

    @Test
    void helpListsEveryCommand() throws Exception {
        Set<String> all = new TreeSet<>(ofTheScript());
        all.addAll(TandemCli.commandLine().getSubcommands().keySet());
        all.remove("help");

        assertThat(names(IN_THE_HELP, bash("../tandem --help"))).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void everyCommandOfTheScriptIsCompleted() throws Exception {
        assertThat(CompletionCommand.OF_THE_SCRIPT).containsExactlyInAnyOrderElementsOf(ofTheScript());
    }

    @Test
    void bashCompletesCommandsAndTheirOptions() throws Exception {
        assertThat(completed("de")).contains("demo", "dead").doesNotContain("queues");
        assertThat(completed("executors", "--se")).containsExactly("--server");
        assertThat(completed("dead", "re")).containsExactly("retry");
        assertThat(completed("queues", "-o", "")).contains("table", "json");
    }

    /** Returns what bash offers for the last of the words. */
    private static List<String> completed(String... words) throws Exception {
        Path script = Files.createTempFile("completion", ".bash");
        try {
            Files.writeString(script, completion());
            String line =
                    "compopt() { :; }; source " + script + "; COMP_WORDS=(tandem " + quoted(words) + "); COMP_CWORD="
                            + words.length + "; COMP_LINE=x; _complete_tandem; printf '%s\\n' \"${COMPREPLY[@]}\"";
            return bash(line).lines().map(String::strip).toList();
        } finally {
            Files.delete(script);
        }
    }

    private static String quoted(String... words) {
        return Stream.of(words)
                .map(word -> "'" + word + "'")
                .reduce((a, b) -> a + " " + b)
                .orElse("");
    }

    private static String completion() {
        StringWriter out = new StringWriter();
        int status =
                TandemCli.programFor("completion").setOut(new PrintWriter(out)).execute("completion");
        assertThat(status).isZero();
        return out.toString();
    }

    private static Set<String> ofTheScript() throws IOException {
        String script = Files.readString(SCRIPT);
        Set<String> names = names(IN_THE_SCRIPT, script.substring(script.lastIndexOf("case $COMMAND in")));
        names.removeIf(name -> name.startsWith("-"));
        return names;
    }

    private static Set<String> names(Pattern pattern, String text) {
        Set<String> names = new TreeSet<>();
        pattern.matcher(text)
                .results()
                .map(found -> found.group(1))
                .forEach(list -> names.addAll(Arrays.asList(list.strip().split("[ ,|]+"))));
        return names;
    }

    private static String bash(String line) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bash", "-c", line)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
