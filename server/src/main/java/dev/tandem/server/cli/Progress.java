package dev.tandem.server.cli;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows how far bulk work is: a bar on a terminal, else a line now and then, both beside the answer, and nothing to programs
 * that want JSON or YAML.
 */
final class Progress {

    private static final int WIDTH = 40;
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ServerOptions server;
    private final boolean person;
    private final LongSupplier clock;
    private long lineAt;
    private boolean shown;

    Progress(ServerOptions server) {
        this(server, ConfirmOptions.hasTerminal(), System::nanoTime);
    }

    /** @param person whether somebody looks at it @param clock as {@link System#nanoTime} */
    Progress(ServerOptions server, boolean person, LongSupplier clock) {
        this.server = server;
        this.person = person;
        this.clock = clock;
        this.lineAt = clock.getAsLong() + LINE_NANOS;
    }

    /** Shows how far it is. @param total 0 if that is not known */
    void show(long done, long total, String text) {
        if (server.isForPrograms()) {
            return;
        }
        if (person) {
            server.progress(bar(done, total) + " " + text);
            shown = true;
        } else if (clock.getAsLong() - lineAt >= 0) {
            server.warn(text);
            lineAt = clock.getAsLong() + LINE_NANOS;
        }
    }

    /** Takes the bar away, so that the answer stands alone. */
    void end() {
        if (shown) {
            server.progress("");
            shown = false;
        }
    }

    /** Returns a bar of fixed width. */
    static String bar(long done, long total) {
        int full = total <= 0 ? 0 : (int) Math.max(0, Math.min(WIDTH, WIDTH * done / total));
        return "[" + "#".repeat(full) + ".".repeat(WIDTH - full) + "]";
    }
}
