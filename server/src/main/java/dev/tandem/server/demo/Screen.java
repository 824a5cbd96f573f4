package dev.tandem.server.demo;

import java.io.Console;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Lines, and below them one that shows where things are: redrawn in a terminal, else printed now and then. */
final class Screen {

    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final PrintStream out;
    private final boolean terminal;
    private String shown = "";
    private long printedAt = System.nanoTime();

    /** On the standard output. */
    static Screen standard() {
        return new Screen(System.out, isTerminal(System.console()));
    }

    /** From Java 22 on there is a console also where nobody sits at it, and it knows. */
    private static boolean isTerminal(@Nullable Console console) {
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    Screen(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    synchronized void say(String line) {
        clear();
        out.println(line);
        out.flush();
    }

    synchronized void progress(String line) {
        if (terminal) {
            clear();
            out.print(line);
            out.flush();
            shown = line;
        } else if (System.nanoTime() - printedAt > EVERY_NANOS) {
            out.println(line);
            printedAt = System.nanoTime();
        }
    }

    private void clear() {
        if (!shown.isEmpty()) {
            out.print("\r" + " ".repeat(shown.length()) + "\r");
            shown = "";
        }
    }
}
