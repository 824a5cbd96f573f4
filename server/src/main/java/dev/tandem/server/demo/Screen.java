package dev.tandem.server.demo;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/** Lines, and below them one that shows where things are: redrawn in a terminal, else printed now and then. */
final class Screen {

    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final PrintStream out;
    private final boolean terminal;
    private String shown = "";
    private long printedAt = System.nanoTime();

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
