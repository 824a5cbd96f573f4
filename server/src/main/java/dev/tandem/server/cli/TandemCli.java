package dev.tandem.server.cli;

import dev.tandem.server.demo.DemoCommand;
import dev.tandem.server.demo.UpCommand;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** All commands but {@code ./tandem server}. */
@Command(
        name = "tandem",
        mixinStandardHelpOptions = true,
        description = "Tasks from Kafka and RabbitMQ, with delays, retries and strict order per key.",
        subcommands = {
            DemoCommand.class,
            UpCommand.class,
            SubmitCommand.class,
            QueuesCommand.class,
            TasksCommand.class,
            DeadCommand.class,
            KeysCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            ExecutorsCommand.class
        },
        footer = {"", "Exit status: 0 done, 1 refused or failed, 2 wrong usage, 3 the server can't be reached."})
public final class TandemCli implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** For picocli. */
    public TandemCli() {}

    public static void main(String[] args) {
        // Before the first logger is made.
        System.setProperty("logback.configurationFile", "dev/tandem/server/cli/logback.xml");
        System.exit(commandLine().execute(args));
    }

    /** Ready to execute. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new TandemCli());
        line.setExecutionExceptionHandler((failure, at, parsed) -> {
            at.getErr().println("tandem: " + (failure.getMessage() == null ? failure : failure.getMessage()));
            return failure instanceof CliException refused ? refused.status() : 1;
        });
        version(line);
        return line;
    }

    /** Every command tells the version of all. */
    private static void version(CommandLine line) {
        line.getCommandSpec().versionProvider(new Version());
        line.getSubcommands().values().forEach(TandemCli::version);
    }

    /** Of this program, as it was built. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            Properties built = new Properties();
            try (InputStream in = TandemCli.class.getResourceAsStream("version.properties")) {
                if (in != null) {
                    built.load(in);
                }
            }
            return new String[] {"Tandem " + built.getProperty("version", "unknown")};
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which command?");
    }
}
