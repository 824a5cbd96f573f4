package dev.tandem.verify;

import java.io.Console;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** What a person sees while a run goes on: a line for what is done, and one that changes for what is being done. */
final class ProgressDisplay {

    private static final long EVERY_NANOS = 1_000_000_000L;
    private static final long RARELY_NANOS = 10_000_000_000L;

    private final PrintWriter out;
    private final boolean terminal = isTerminal(System.console());
    private long last = System.nanoTime() - RARELY_NANOS;
    private int width;

    ProgressDisplay(PrintWriter out) {
        this.out = out;
    }

    /** From Java 22 on there is a console also where nobody sits at it, and it knows. */
    private static boolean isTerminal(@Nullable Console console) {
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true; // an older Java: a console is a terminal
        }
    }

    /** Something is done. */
    synchronized void line(String text) {
        wipe();
        out.println(text);
        out.flush();
    }

    /** How it goes; shown now and then. */
    synchronized void live(String text) {
        long now = System.nanoTime();
        if (now - last < (terminal ? EVERY_NANOS : RARELY_NANOS)) {
            return;
        }
        last = now;
        if (terminal) {
            wipe();
            out.print(text);
            width = text.length();
        } else {
            out.println("  " + text);
        }
        out.flush();
    }

    private void wipe() {
        if (width > 0) {
            out.print("\r" + " ".repeat(width) + "\r");
            width = 0;
        }
    }
}
