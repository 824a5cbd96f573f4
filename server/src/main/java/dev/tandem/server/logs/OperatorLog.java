package dev.tandem.server.logs;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what operators did through the API. Within {@value #WINDOW_SECONDS} s the first {@value #MAX_LINES_OF_KIND} acts of a
 * kind have a line each, and one line for each kind counts the others: a command may delete thousands of tasks one by one.
 * Refused requests have lines of their own, so that they do not hide what was done. Thread-safe.
 */
public final class OperatorLog implements AutoCloseable {

    static final int MAX_LINES_OF_KIND = 50;
    static final int MAX_LINES = 1_000;
    static final int MAX_KINDS = 200;
    /** Requests may name any number of queues that do not exist. */
    static final int MAX_REFUSED_LINES = 50;

    static final int MAX_REFUSED_KINDS = 20;
    static final long WINDOW_SECONDS = 10;

    private static final Logger log = LoggerFactory.getLogger(OperatorLog.class);

    /**
     * How an act ended.
     *
     * @param effective whether something was changed, or may have been
     * @param summary a few words that many acts have in common
     * @param details what was done; may be empty
     */
    public record Result(boolean effective, String summary, String details) {}

    private final Executor later;
    private final Budget effective = new Budget(MAX_LINES, MAX_KINDS, "other acts");
    private final Budget refused = new Budget(MAX_REFUSED_LINES, MAX_REFUSED_KINDS, "other refused requests");
    private boolean windowIsOpen;

    public OperatorLog() {
        this(CompletableFuture.delayedExecutor(WINDOW_SECONDS, TimeUnit.SECONDS));
    }

    /** @param later runs a task when the window ends */
    OperatorLog(Executor later) {
        this.later = later;
    }

    /**
     * Logs an act.
     *
     * @param kind what many acts have in common, such as {@code delete of a task of queue orders}
     * @param act the same with all details
     */
    public void acted(String kind, String act, Result result) {
        if (admit(kind + ": " + result.summary(), result.effective())) {
            String details = result.details().isEmpty() ? "" : " (" + result.details() + ")";
            log.info("Operator: {}: {}{}", act, result.summary(), details);
        }
    }

    private synchronized boolean admit(String kind, boolean isEffective) {
        if (!windowIsOpen) {
            windowIsOpen = true;
            later.execute(this::endWindow);
        }
        return (isEffective ? effective : refused).admit(kind);
    }

    private void endWindow() {
        Map<String, Long> counts = new LinkedHashMap<>();
        synchronized (this) {
            effective.end(counts::put);
            refused.end(counts::put);
            windowIsOpen = false;
        }
        counts.forEach(
                (kind, count) -> log.info("Operator: {}: {}", count == 1 ? "once more" : count + " more times", kind));
    }

    /** Counts what was left out so far. */
    @Override
    public void close() {
        endWindow();
    }

    /** The lines of one window. Guarded by the log. */
    private static final class Budget {

        private static final class Kind {
            private int lines;
            private long leftOut;
        }

        private final int maxLines;
        private final int maxKinds;
        private final String others;
        private final Map<String, Kind> kinds = new LinkedHashMap<>();
        private int lines;

        /** @param others what the acts of further kinds are called */
        Budget(int maxLines, int maxKinds, String others) {
            this.maxLines = maxLines;
            this.maxKinds = maxKinds;
            this.others = others;
        }

        boolean admit(String name) {
            boolean known = kinds.size() < maxKinds || kinds.containsKey(name);
            Kind kind = kinds.computeIfAbsent(known ? name : others, first -> new Kind());
            if (lines < maxLines && kind.lines < MAX_LINES_OF_KIND) {
                lines++;
                kind.lines++;
                return true;
            }
            kind.leftOut++;
            return false;
        }

        /** Begins the next window. @param leftOut takes the kinds of which something was left out, with the number */
        void end(BiConsumer<String, Long> leftOut) {
            kinds.forEach((name, kind) -> {
                if (kind.leftOut > 0) {
                    leftOut.accept(name, kind.leftOut);
                }
            });
            kinds.clear();
            lines = 0;
        }
    }
}
