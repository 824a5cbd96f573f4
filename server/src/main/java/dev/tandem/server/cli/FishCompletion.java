package dev.tandem.server.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Makes a script with which fish completes the commands and their options. picocli makes one for bash and zsh only. */
final class FishCompletion {

    /** Tells fish which commands have been typed: words that are options do not count. */
    private static final String FUNCTIONS = """
            # Completion of %1$s for fish.
            function __%1$s_words
                for word in (commandline -opc)[2..-1]
                    string match -q -- '-*' $word; or echo $word
                end
            end
            function __%1$s_at
                set -l words (__%1$s_words)
                test "$words" = "$argv"
            end
            function __%1$s_in
                set -l words (__%1$s_words)
                set -l depth (count $argv)
                test (count $words) -ge $depth; and test "$words[1..$depth]" = "$argv"
            end
            complete -c %1$s -f
            """;

    private final String program;
    private final StringBuilder script = new StringBuilder();

    private FishCompletion(String program) {
        this.program = program;
    }

    /** Returns the script. */
    static String of(String program, CommandLine line) {
        FishCompletion fish = new FishCompletion(program);
        fish.script.append(FUNCTIONS.formatted(program));
        fish.add(List.of(), line.getCommandSpec());
        return fish.script.toString();
    }

    private void add(List<String> path, CommandSpec command) {
        for (Map.Entry<String, CommandLine> each : command.subcommands().entrySet()) {
            CommandSpec sub = each.getValue().getCommandSpec();
            script.append("complete -c ")
                    .append(program)
                    .append(" -n '__")
                    .append(program)
                    .append("_at");
            path.forEach(word -> script.append(' ').append(word));
            script.append("' -a ")
                    .append(each.getKey())
                    .append(described(sub.usageMessage().description()));
            List<String> deeper = new ArrayList<>(path);
            deeper.add(each.getKey());
            add(deeper, sub);
        }
        if (!path.isEmpty()) {
            command.options().stream().filter(option -> !option.hidden()).forEach(option -> add(path, option));
        }
    }

    private void add(List<String> path, OptionSpec option) {
        script.append("complete -c ")
                .append(program)
                .append(" -n '__")
                .append(program)
                .append("_in ");
        script.append(String.join(" ", path)).append('\'');
        for (String name : option.names()) {
            script.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceFirst("^-+", ""));
        }
        if (option.arity().max() > 0) {
            List<String> values = new ArrayList<>();
            if (option.completionCandidates() != null) {
                option.completionCandidates().forEach(values::add);
            }
            boolean file = option.paramLabel().equals("FILE");
            script.append(file ? " -r -F" : " -x");
            if (!values.isEmpty()) {
                script.append(" -a '").append(String.join(" ", values)).append('\'');
            }
        }
        script.append(described(option.description()));
    }

    /** Returns the first sentence of a description as fish takes it, and the end of the line. */
    private static String described(String[] description) {
        String text = String.join(" ", description).strip();
        if (text.isEmpty() || text.contains("${")) {
            return "\n";
        }
        int end = text.indexOf(". ");
        String first = (end < 0 ? text : text.substring(0, end)).replaceAll("\\.$", "");
        return " -d '" + first.replace("\\", "\\\\").replace("'", "\\'") + "'\n";
    }
}
