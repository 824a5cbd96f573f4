package dev.tandem.demo;

import dev.tandem.server.cli.CommandGroup;
import dev.tandem.server.cli.TandemCli;
import picocli.CommandLine.Command;

/** The commands of {@code ./tandem} that need local brokers. All others are in {@link TandemCli}. */
@Command(
        name = "tandem",
        mixinStandardHelpOptions = true,
        description = "Runs the whole platform on this machine.",
        subcommands = {DemoCommand.class, UpCommand.class})
public final class DemoCli extends CommandGroup {

    /** For picocli. */
    public DemoCli() {
        super("demo or up?");
    }

    public static void main(String[] args) {
        TandemCli.run(new DemoCli(), args);
    }
}
