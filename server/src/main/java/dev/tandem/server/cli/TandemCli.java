package dev.tandem.server.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The command line: the daily work against a running server. */
@Command(
        name = "tandem",
        mixinStandardHelpOptions = true,
        description = "Tasks from Kafka and RabbitMQ, with delays, retries and strict order per key.",
        footer = {
            "",
            "Exit status: 0 done, 1 refused or failed, 2 wrong usage, 3 the server can't be reached, 4 doctor found a problem."
        })
public final class TandemCli extends CommandGroup {

    /** The commands, in the order of the help. */
    private static final List<Class<?>> COMMANDS = List.of(
            SubmitCommand.class,
            QueuesCommand.class,
            TasksCommand.class,
            DeadCommand.class,
            KeysCommand.class,
            WhyCommand.class,
            HistoryCommand.class,
            TopCommand.class,
            WatchCommand.class,
            DoctorCommand.class,
            DedupCommand.class,
            DependsCommand.class,
            LimitsCommand.class,
            OperationsCommand.class,
            PartitionsCommand.class,
            SchedulesCommand.class,
            FanOutsCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            ExecutorsCommand.class,
            RunningCommand.class,
            LoginCommand.class,
            ProfileCommand.class,
            TokensCommand.class,
            ArchiveCommand.class,
            AuditCommand.class,
            CompletionCommand.class);

    /** For picocli. */
    public TandemCli() {
        super("Which command?");
    }

    public static void main(String[] args) {
        run(programFor(args), args);
    }

    /** Runs a command with the logging and the exit statuses of this program, and ends the JVM. */
    public static void run(Object command, String... args) {
        run(commandLine(command), args);
    }

    private static void run(CommandLine line, String... args) {
        // Must be set before the first logger is created.
        System.setProperty("logback.configurationFile", "dev/tandem/server/cli/logback.xml");
        System.exit(line.execute(args));
    }

    /** Returns the program with all its commands. */
    public static CommandLine commandLine() {
        return withCommands(COMMANDS);
    }

    /**
     * Returns the program for these arguments. If the first one names a command, the program has only that command:
     * picocli takes several milliseconds to look into the class of each.
     */
    static CommandLine programFor(String... args) {
        if (List.of(args).equals(List.of("--version"))) {
            return withCommands(List.of());
        }
        if (args.length > 0) {
            for (Class<?> command : COMMANDS) {
                if (command.getAnnotation(Command.class).name().equals(args[0])) {
                    return withCommands(List.of(command));
                }
            }
        }
        return commandLine();
    }

    private static CommandLine withCommands(List<Class<?>> commands) {
        CommandLine line = new CommandLine(new TandemCli());
        for (Class<?> command : commands) {
            line.addSubcommand(command);
        }
        CommandLine watch = line.getSubcommands().get("watch");
        if (watch != null) {
            watch.setStopAtPositional(true); // what follows are the options of the command that is watched
        }
        line.setParameterExceptionHandler(new WrongUsage(line));
        return configured(line);
    }

    /** Returns a command with the exit statuses and the version of this program, ready to execute. */
    public static CommandLine commandLine(Object command) {
        return configured(new CommandLine(command));
    }

    private static CommandLine configured(CommandLine line) {
        line.setExecutionExceptionHandler((failure, at, parsed) -> {
            at.getErr()
                    .println("tandem: "
                            + TaskRows.printable(
                                    String.valueOf(failure.getMessage() == null ? failure : failure.getMessage())));
            return failure instanceof CliException refused ? refused.status() : 1;
        });
        setVersion(line);
        return line;
    }

    /** Gives every subcommand the same {@code --version}. */
    private static void setVersion(CommandLine line) {
        line.getCommandSpec().versionProvider(new Version());
        line.getSubcommands().values().forEach(TandemCli::setVersion);
    }

    /** The version of this program, written at build time. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            Properties properties = new Properties();
            try (InputStream in = TandemCli.class.getResourceAsStream("version.properties")) {
                if (in != null) {
                    properties.load(in);
                }
            }
            return new String[] {"Tandem " + properties.getProperty("version", "unknown")};
        }
    }
}
