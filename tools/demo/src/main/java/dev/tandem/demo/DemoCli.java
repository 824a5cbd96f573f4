package dev.tandem.demo;

import dev.tandem.server.cli.TandemCli;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The commands of {@code ./tandem} that need local brokers. All others are in {@link TandemCli}. */
@Command(
        name = "tandem",
        mixinStandardHelpOptions = true,
        description = "Runs the whole platform on this machine.",
        subcommands = {DemoCommand.class, UpCommand.class})
public final class DemoCli implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** For picocli. */
    public DemoCli() {}

    public static void main(String[] args) {
        TandemCli.run(new DemoCli(), args);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "demo or up?");
    }
}
