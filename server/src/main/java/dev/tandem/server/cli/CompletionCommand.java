package dev.tandem.server.cli;

import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script with which bash, zsh or fish completes commands and options. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = {"Prints a script with which bash and zsh, or fish, complete the commands and their options.", ""
        },
        footer = {
            "",
            "Installs it, for zsh with .zshrc in place of .bashrc:",
            "  ./tandem completion > ~/.tandem-completion && echo '. ~/.tandem-completion' >> ~/.bashrc",
            "For fish, into the folder from which it reads such scripts:",
            "  ./tandem completion fish > ~/.config/fish/completions/tandem.fish"
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

    enum Shell {
        bash,
        zsh,
        fish
    }

    @Parameters(
            paramLabel = "SHELL",
            arity = "0..1",
            defaultValue = "bash",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}; bash and zsh share one script)")
    private Shell shell = Shell.bash;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        CommandLine program = TandemCli.commandLine();
        OF_THE_SCRIPT.forEach(name -> program.addSubcommand(name, CommandSpec.create()));
        spec.commandLine()
                .getOut()
                .println(
                        shell == Shell.fish
                                ? FishCompletion.of("tandem", program)
                                : AutoComplete.bash("tandem", program));
        spec.commandLine().getOut().flush();
    }
}
