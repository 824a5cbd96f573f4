package dev.tandem.server.cli;

import java.io.Console;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of commands that ask before they change much. */
final class ConfirmOptions {

    /** Where a person can be asked. */
    interface Terminal {

        /** Returns the answer to a question; null if the person ended the input. */
        @Nullable
        String ask(String question);
    }

    @Option(
            names = {"-y", "--yes"},
            description = "do it without asking; scripts need this")
    private boolean yes;

    /** Returns whether the command line says that nobody is to be asked. */
    boolean isConfirmed() {
        return yes;
    }

    /**
     * Asks whether to go on, unless the command line says so.
     *
     * @param what what would be done, such as "Delete 3 tasks?"
     * @throws CliException if the answer is no, or there is nobody to ask
     */
    void confirm(String what) {
        if (!yes) {
            confirm(what, systemTerminal());
        }
    }

    static void confirm(String what, @Nullable Terminal terminal) {
        if (terminal == null) {
            throw new CliException(CliException.USAGE, what + " There is no terminal to ask at: say --yes");
        }
        String answer = terminal.ask(what + " [y/N] ");
        String given = answer == null ? "" : answer.strip().toLowerCase(Locale.ROOT);
        if (!given.equals("y") && !given.equals("yes")) {
            throw new CliException(CliException.REFUSED, "Nothing was changed");
        }
    }

    /** Returns whether a person types the input, and reads the output. */
    static boolean hasTerminal() {
        return systemTerminal() != null;
    }

    private static @Nullable Terminal systemTerminal() {
        Console console = System.console();
        return console == null || !isTerminal(console) ? null : question -> console.readLine("%s", question);
    }

    private static boolean isTerminal(Console console) {
        try {
            // Since Java 22 a console exists without a terminal too.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true; // before Java 22, a console is a terminal
        }
    }
}
