package dev.tandem.server.cli;

import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints a script with which bash and zsh complete commands and options. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = {"Prints a script with which bash and zsh complete the commands and their options.", ""},
        footer = {
            "",
            "Installs it, for zsh with .zshrc in place of .bashrc:",
            "  ./tandem completion > ~/.tandem-completion && echo '. ~/.tandem-completion' >> ~/.bashrc"
        })
final class CompletionCommand implements Runnable {

    /** The commands of the script {@code ./tandem} that other programs carry out. Only their names are completed. */
    static final List<String> OF_THE_SCRIPT = List.of(
            "demo",
            "up",
            "server",
            "build",
            "install",
            "outbox-sql",
            "test",
            "lint",
            "site",
            "apidocs",
            "bench",
            "verify",
            "help");

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        CommandLine program = TandemCli.commandLine();
        OF_THE_SCRIPT.forEach(name -> program.addSubcommand(name, CommandSpec.create()));
        spec.commandLine().getOut().println(AutoComplete.bash("tandem", program));
        spec.commandLine().getOut().flush();
    }
}
