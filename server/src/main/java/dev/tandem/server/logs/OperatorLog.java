package dev.tandem.server.logs;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what operators did through the API. Within {@value #WINDOW_SECONDS} s the first {@value #MAX_LINES} acts have a line
 * each, and one line for each kind counts the others: a command may delete thousands of tasks one by one. Thread-safe.
 */
public final class OperatorLog implements AutoCloseable {

    static final int MAX_LINES = 50;
    static final int MAX_KINDS = 20;
    static final long WINDOW_SECONDS = 10;

    private static final Logger log = LoggerFactory.getLogger(OperatorLog.class);

    private final Executor later;
    private final Map<String, Long> leftOut = new LinkedHashMap<>();
    private int linesInWindow;

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
     * @param result how it ended
     */
    public void acted(String kind, String act, String result) {
        if (admit(kind + ": " + result)) {
            log.info("Operator: {}: {}", act, result);
        }
    }

    private synchronized boolean admit(String kind) {
        if (linesInWindow == 0) {
            later.execute(this::endWindow);
        }
        if (linesInWindow < MAX_LINES) {
            linesInWindow++;
            return true;
        }
        // Requests may name any number of queues that do not exist.
        boolean known = leftOut.size() < MAX_KINDS || leftOut.containsKey(kind);
        leftOut.merge(known ? kind : "other acts", 1L, Long::sum);
        return false;
    }

    private void endWindow() {
        Map<String, Long> counts;
        synchronized (this) {
            counts = new LinkedHashMap<>(leftOut);
            leftOut.clear();
            linesInWindow = 0;
        }
        counts.forEach(
                (kind, count) -> log.info("Operator: {}: {}", count == 1 ? "once more" : count + " more times", kind));
    }

    /** Counts what was left out so far. */
    @Override
    public void close() {
        endWindow();
    }
}
