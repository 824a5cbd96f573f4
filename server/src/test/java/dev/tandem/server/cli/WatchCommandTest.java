package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Commands that are repeated. Nobody looks at a terminal here, so each picture that differs is written. */
class WatchCommandTest {

    private final PreparedServer server = new PreparedServer();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aCommandIsRepeatedWithItsOptions() {
        server.answers.put("GET /api/v1/queues", "{\"queues\": [{\"name\": \"orders\"}]}");
        assertThat(server.run("watch", "-n", "1", "--times", "2", "queues", "-o", "json"))
                .isZero();
        assertThat(server.requests).hasSize(2);
        assertThat(server.out.toString().lines().filter(line -> line.startsWith("--- ")))
                .as("the second picture is the same")
                .hasSize(1);
        assertThat(server.out.toString()).contains("\"name\" : \"orders\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pause q",
                "dead delete q a",
                "dedup q k --free",
                "partitions q --to 9",
                "watch queues",
                "no-such"
            })
    void whatChangesSomethingIsNotRepeated(String line) {
        String[] words = ("watch " + line).split(" ");
        assertThat(server.run(words)).isEqualTo(CliException.USAGE);
        assertThat(server.requests).isEmpty();
    }

    @Test
    void aCommandThatFailsAtOnceEndsIt() {
        server.status = 404;
        assertThat(server.run("watch", "queues")).isEqualTo(CliException.REFUSED);
        assertThat(server.run("watch", "-n", "0", "queues")).isEqualTo(CliException.USAGE);
        assertThat(server.requests).hasSize(1);
    }

    @Test
    void onATerminalWhatHasChangedIsMarked() {
        assertThat(Screen.marked("LAG  10\nsame\n", "LAG  12\nsame\nnew\n"))
                .isEqualTo("LAG  1\033[7m2\033[27m\nsame\n\033[7mnew\033[27m\n");
        assertThat(Screen.fitted("a\nb\nc\n", 2)).isEqualTo("a\n... 2 more lines\n");
        assertThat(Screen.fitted("a\nb\n", 2)).isEqualTo("a\nb\n");
    }

    /** The commands that change something, ask a person, or do not end by themselves. A new command belongs here, or can be repeated. */
    private static final Set<String> NOT_REPEATED = Set.of(
            "submit",
            "dead retry",
            "dead skip",
            "dead delete",
            "tasks cancel",
            "tasks edit",
            "tasks reschedule",
            "keys retry",
            "keys skip",
            "keys drain",
            "top",
            "watch",
            "operations stop",
            "limits set",
            "limits reset",
            "schedules create",
            "schedules change",
            "schedules delete",
            "schedules restore",
            "schedules pause",
            "schedules resume",
            "schedules fire",
            "schedules forget",
            "fan-outs recount",
            "fan-outs cancel",
            "fan-outs end",
            "pause",
            "resume",
            "login",
            "profile list",
            "profile use",
            "profile add",
            "profile remove",
            "tokens create",
            "tokens revoke",
            "tokens print",
            "completion");

    @Test
    void eachCommandIsKnownToBeRepeatedOrNot() {
        Set<String> all = new TreeSet<>();
        Set<String> options = new TreeSet<>();
        collect(TandemCli.commandLine(), "", all, options);
        Set<String> known = new TreeSet<>(WatchCommand.SHOWING);
        known.addAll(NOT_REPEATED);
        assertThat(known).isEqualTo(all);
        assertThat(WatchCommand.SHOWING).doesNotContainAnyElementsOf(NOT_REPEATED);
        assertThat(options).as("options that change something exist").containsAll(WatchCommand.CHANGING);
    }

    private static void collect(CommandLine parent, String prefix, Set<String> all, Set<String> options) {
        parent.getSubcommands().forEach((name, command) -> {
            String full = prefix.isEmpty() ? name : prefix + " " + name;
            if (!(command.getCommand() instanceof CommandGroup)) {
                all.add(full);
            }
            if (WatchCommand.SHOWING.contains(full)) {
                command.getCommandSpec().options().forEach(option -> options.addAll(List.of(option.names())));
            }
            collect(command, full, all, options);
        });
    }
}
