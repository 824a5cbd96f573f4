package dev.tandem.server.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that does nothing itself: one of its subcommands must be named. */
public abstract class CommandGroup implements Runnable {

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
        throw wrongUsage(subcommands);
    }

    ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
