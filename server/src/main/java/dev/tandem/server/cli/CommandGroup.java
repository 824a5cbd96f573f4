package dev.tandem.server.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that does nothing itself: one of its subcommands must be named. */
public abstract class CommandGroup implements Runnable {

    /** Thrown if no subcommand is named: then the help is what is wanted. */
    static final class NoSubcommandException extends ParameterException {
        private static final long serialVersionUID = 1;

        NoSubcommandException(CommandLine line, String question) {
            super(line, question);
        }
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private final String subcommands;

    /** @param subcommands the question that is printed if none is named */
    protected CommandGroup(String subcommands) {
        this.subcommands = subcommands;
    }

    @Override
    public void run() {
        throw new NoSubcommandException(spec.commandLine(), subcommands);
    }

    /** Returns a subcommand, to say that it was used wrongly. */
    CommandSpec spec(String subcommand) {
        return spec.subcommands().get(subcommand).getCommandSpec();
    }

    ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
