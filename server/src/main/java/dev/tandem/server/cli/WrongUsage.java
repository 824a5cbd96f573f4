package dev.tandem.server.cli;

import dev.tandem.task.EditDistance;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Answers wrong usage with the error and a hint, without the whole help, which would hide them. Only a command that lacks
 * its subcommand shows its help.
 */
final class WrongUsage implements IParameterExceptionHandler {

    /** How many letters may differ in a word that is suggested. */
    private static final int MAX_DISTANCE = 2;

    private final CommandLine program;

    WrongUsage(CommandLine program) {
        this.program = program;
    }

    @Override
    public int handleParseException(ParameterException failure, String[] arguments) {
        CommandLine at = failure.getCommandLine();
        PrintWriter err = program.getErr();
        if (failure instanceof CommandGroup.NoSubcommandException) {
            at.usage(err);
        }
        err.println("tandem: " + failure.getMessage());
        if (failure instanceof UnmatchedArgumentException unmatched) {
            suggestion(at, unmatched.getUnmatched().get(0))
                    .ifPresent(word -> err.println("Did you mean " + word + "?"));
        }
        // The script has more commands than this program.
        err.println(
                at == program
                        ? "`./tandem --help` lists all commands."
                        : "`./" + at.getCommandSpec().qualifiedName() + " --help` shows how to use it.");
        err.flush();
        return at.getCommandSpec().exitCodeOnInvalidInput();
    }

    /** Returns the option or the command that is most like a word. */
    private static Optional<String> suggestion(CommandLine at, String word) {
        List<String> known = new ArrayList<>(at.getCommandSpec().optionsMap().keySet());
        known.addAll(at.getSubcommands().keySet());
        return known.stream()
                .filter(each -> each.length() > MAX_DISTANCE && EditDistance.between(word, each) <= MAX_DISTANCE)
                .min(Comparator.comparingInt(each -> EditDistance.between(word, each)));
    }
}
