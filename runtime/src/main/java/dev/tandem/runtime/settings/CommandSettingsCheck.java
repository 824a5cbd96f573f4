package dev.tandem.runtime.settings;

import dev.tandem.executor.TaskLimit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks the settings of programs that tasks may run, and of the queues that run them. */
final class CommandSettingsCheck {

    private static final long MIB = 1 << 20;
    private static final Set<String> SHELLS = Set.of(
            "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "csh", "tcsh", "fish", "busybox", "env", "xargs",
            "eval");

    private final TandemSettings settings;
    private final SettingProblems problems;

    CommandSettingsCheck(TandemSettings settings, SettingProblems problems) {
        this.settings = settings;
        this.problems = problems;
    }

    void checkAll() {
        settings.commands().forEach(this::check);
        settings.queues().forEach(this::check);
    }

    private void check(String queueName, QueueSettings queue) {
        String setting = QueueSettingsCheck.prefix(queueName) + "command";
        String command = queue.command();
        if (command == null && HostedTypes.CMD.equals(queue.handler())) {
            problems.add(setting, null, "the handler is cmd, so it must name one of tandem.commands" + there());
        } else if (command != null && !HostedTypes.CMD.equals(queue.handler())) {
            problems.add(setting, command, "it needs the handler cmd: set that, or leave it out");
        } else if (command != null && !settings.commands().containsKey(command)) {
            problems.add(
                    setting,
                    command,
                    "there is no such command under tandem.commands" + there()
                            + NearestWord.advice(command, settings.commands().keySet()));
        }
    }

    private String there() {
        Set<String> names = settings.commands().keySet();
        return names.isEmpty() ? ", which has none" : "; there are " + String.join(", ", names);
    }

    private void check(String name, CommandSettings command) {
        String prefix = SettingProblems.section("tandem.commands", name) + ".";
        if (!TaskLimit.isName(name)) {
            problems.add(
                    prefix.substring(0, prefix.length() - 1),
                    name,
                    "the name of a command must be 1 to 100 letters, digits, dots, underscores or hyphens");
        }
        checkProgram(prefix, command);
        checkArguments(prefix, command.args());
        for (Map.Entry<String, String> variable : command.environment().entrySet()) {
            if (!variable.getKey().matches("[A-Za-z_][A-Za-z0-9_]*")
                    || variable.getValue().indexOf('\0') >= 0) {
                problems.addHidden(
                        prefix + "environment." + variable.getKey(),
                        "the name must be letters, digits and underscores, and the value must not have a NUL");
            }
        }
        if (!command.directory().startsWith("/")) {
            problems.add(prefix + "directory", command.directory(), "it must be an absolute path");
        }
        if (command.user() != null && !command.user().matches("[a-z_][a-z0-9_.-]{0,31}|\\d{1,10}:\\d{1,10}")) {
            problems.add(prefix + "user", command.user(), "it must be the name of a user, or uid:gid");
        }
        long memory = command.memory().toBytes();
        if (memory != 0 && (memory < 16 * MIB || memory > 1024 * 1024 * MIB)) {
            problems.add(prefix + "memory", command.memory().toString(), "it must be 16MB to 1TB, or 0MB for no limit");
        }
        problems.checkRange(prefix + "keep-output", command.keepOutput().toBytes(), 0, 32 << 10);
        problems.checkRange(prefix + "kill-after", command.killAfter(), Duration.ZERO, Duration.ofSeconds(8));
        checkCodes(prefix + "dead-on", command.deadOn());
        checkCodes(prefix + "retry-on", command.retryOn());
        if (!command.deadOn().isEmpty() && !command.retryOn().isEmpty()) {
            problems.add(
                    prefix + "retry-on",
                    command.retryOn().toString(),
                    "with it all other codes make a task dead: leave out " + prefix + "dead-on");
        }
    }

    private void checkProgram(String prefix, CommandSettings command) {
        String program = command.program();
        if (program == null) {
            problems.add(prefix + "program", null, "it must be the absolute path of a program");
        } else if (!program.startsWith("/") || program.indexOf('\0') >= 0) {
            problems.add(prefix + "program", program, "it must be an absolute path");
        } else if (SHELLS.contains(program.substring(program.lastIndexOf('/') + 1))) {
            problems.add(
                    prefix + "program",
                    program,
                    "it runs other programs: name the program itself, or a script that begins with #!");
        }
    }

    private void checkArguments(String prefix, List<String> args) {
        for (int i = 0; i < args.size(); i++) {
            try {
                CommandTemplate unused = CommandTemplate.parse(args.get(i));
            } catch (IllegalArgumentException e) {
                problems.add(prefix + "args[" + i + "]", args.get(i), String.valueOf(e.getMessage()));
            }
        }
    }

    private void checkCodes(String setting, List<Integer> codes) {
        for (int i = 0; i < codes.size(); i++) {
            problems.checkRange(setting + "[" + i + "]", codes.get(i), 1, 127);
        }
    }
}
