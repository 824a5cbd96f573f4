package dev.tandem.server.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Repeats a command that shows something. */
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        description = {
            "Repeats a command that shows something, such as `watch -n 5 keys list orders`, until Ctrl-C. On a terminal, what "
                    + "has changed since the last time is marked. Into a pipe or a file it writes each picture that differs "
                    + "from the one before.",
            ""
        })
final class WatchCommand implements Callable<Integer> {

    /** The commands that only show something. A test lists all other commands. */
    static final Set<String> SHOWING = Set.of(
            "queues",
            "tasks",
            "dead groups",
            "dead list",
            "keys list",
            "keys show",
            "keys timeline",
            "why",
            "history",
            "doctor",
            "dedup",
            "depends",
            "limits",
            "operations",
            "partitions",
            "schedules list",
            "schedules show",
            "fan-outs list",
            "fan-outs show",
            "executors",
            "running",
            "tokens list",
            "archive",
            "audit");

    /** Options by which some of those change something, or do not end. */
    static final Set<String> CHANGING = Set.of("--free", "--to", "--watch");

    private static final int LONGEST_INTERVAL = 3_600;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = {"-n", "--interval"},
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "how often it looks (default: ${DEFAULT-VALUE})")
    private int interval;

    @Option(names = "--times", paramLabel = "N", description = "how often at most (default: until Ctrl-C)")
    private int times = Integer.MAX_VALUE;

    @Parameters(paramLabel = "COMMAND", arity = "1..*", description = "the command, with its options")
    private List<String> words = new ArrayList<>();

    /** The output of a command, and its exit status. */
    private record Picture(String text, int status) {}

    @Override
    public Integer call() throws InterruptedException {
        check();
        boolean onTerminal = ConfirmOptions.hasTerminal();
        Picture before = null;
        for (int time = 0; time < times; time++) {
            if (time > 0) {
                TimeUnit.SECONDS.sleep(interval);
            }
            Picture now = look();
            // The first failure ends it: the command may be wrong. Later ones may pass.
            if (now.status() == CliException.USAGE || before == null && isFailure(now.status())) {
                spec.commandLine().getErr().print(now.text());
                spec.commandLine().getErr().flush();
                return now.status();
            }
            show(before == null ? null : before.text(), now.text(), onTerminal);
            before = now;
        }
        return before == null ? 0 : before.status();
    }

    private static boolean isFailure(int status) {
        return status == CliException.REFUSED || status == CliException.UNREACHABLE;
    }

    private void check() {
        if (interval < 1 || interval > LONGEST_INTERVAL) {
            throw new CliException(
                    CliException.USAGE, "--interval is " + interval + ": give 1 to " + LONGEST_INTERVAL + " seconds");
        }
        if (times < 1) {
            throw new CliException(CliException.USAGE, "--times is " + times + ": give 1 or more");
        }
        CommandLine.ParseResult parsed = parsed();
        StringBuilder name = new StringBuilder();
        boolean changes = false;
        for (CommandLine.ParseResult at = parsed.subcommand(); at != null; at = at.subcommand()) {
            name.append(name.isEmpty() ? "" : " ").append(at.commandSpec().name());
            changes |= CHANGING.stream().anyMatch(at::hasMatchedOption);
        }
        if (changes || !SHOWING.contains(name.toString())) {
            throw new ParameterException(
                    spec.commandLine(),
                    "`" + String.join(" ", words)
                            + "` changes something, or is not made to be repeated: watch takes commands that only show, such as queues");
        }
    }

    private CommandLine.ParseResult parsed() {
        try {
            return TandemCli.programFor(words.toArray(String[]::new)).parseArgs(words.toArray(String[]::new));
        } catch (ParameterException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    private Picture look() {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text, true);
        String[] line = words.toArray(String[]::new);
        int status = TandemCli.programFor(line).setOut(out).setErr(out).execute(line);
        return new Picture(text.toString(), status);
    }

    private void show(@Nullable String before, String now, boolean onTerminal) {
        PrintWriter out = spec.commandLine().getOut();
        String time = LocalTime.now().truncatedTo(ChronoUnit.SECONDS).toString();
        if (onTerminal) {
            out.print(Screen.CLEAR);
            out.println(String.join(" ", words) + ", every " + interval + " s, at " + time + ", Ctrl-C ends");
            out.print(Screen.fitted(before == null ? now : Screen.marked(before, now), Screen.lines() - 2));
        } else if (!now.equals(before)) {
            out.println("--- " + time);
            out.print(now);
        }
        out.flush();
    }
}
