package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.KeptEnd;
import dev.tandem.verify.record.Event.Published;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How one task was published, and its runs ordered by start. */
final class TaskHistory {

    /** How long an end may be recorded after it was decided, and is kept with an earlier time. */
    private static final long KEPT_SLACK = 1_000_000_000;

    /** How far the times of kept ends, in milliseconds of wall clocks, may be from those of events. */
    private static final long CLOCK_SLACK = 20_000_000;

    final String id;

    @Nullable
    Published published;

    final List<HandlerRun> runs = new ArrayList<>();

    /** What the store keeps of the task if it expired or was cancelled. */
    @Nullable
    KeptEnd keptEnd;

    /**
     * Whether an event says that it ended as a duplicate. A run of it may have died all the same: its executor told that, so that
     * another task with its deduplication key ran, and was frozen or killed before it was recorded.
     */
    boolean endedAsDuplicate;

    TaskHistory(String id) {
        this.id = id;
    }

    @Nullable
    String key() {
        return published != null ? published.key() : runs.isEmpty() ? null : runs.get(0).key;
    }

    /** Returns what the task excludes: its key in an ordered queue, otherwise only itself. */
    String exclusionUnit(boolean ordered) {
        String key = key();
        return ordered && key != null ? "key " + key : "task " + id;
    }

    /**
     * Returns the first start under a valid claim, or {@link Period#NEVER}. If there is none, a run that ended the task counts: its
     * lease had ended when it started, but nothing had taken its claim over.
     */
    long firstStart() {
        return runs.stream()
                .filter(run -> !run.isStale())
                .mapToLong(run -> run.start)
                .min()
                .orElseGet(this::firstStaleStart);
    }

    private long firstStaleStart() {
        return runs.stream()
                .filter(run -> keptEnd == null && run.isFinal())
                .mapToLong(run -> run.start)
                .min()
                .orElse(Period.NEVER);
    }

    /**
     * Returns the first final end, or {@link Period#NEVER}. An end after another process has started the task under a
     * higher token does not count, nor one after the task had expired or was cancelled.
     */
    long firstEnd() {
        KeptEnd kept = keptEnd;
        if (kept == null) {
            return firstFinalEnd();
        }
        long by = kept.endedAt() + CLOCK_SLACK;
        return runs.stream()
                .filter(run -> run.end <= by)
                .mapToLong(run -> run.end)
                .max()
                .orElse(kept.endedAt() - CLOCK_SLACK);
    }

    private long firstFinalEnd() {
        return runs.stream()
                .filter(HandlerRun::isFinal)
                .filter(run -> runs.stream().noneMatch(other -> other.token > run.token && other.start < run.end))
                .mapToLong(run -> run.end)
                .min()
                .orElse(Period.NEVER);
    }

    boolean succeeded() {
        return runs.stream().anyMatch(HandlerRun::succeeded);
    }

    boolean succeededBy(long at) {
        return runs.stream().anyMatch(run -> run.succeeded() && run.end <= at);
    }

    /** Returns whether the store keeps that the task had expired or was cancelled by then, to a second. */
    boolean endedOtherwiseBy(long at) {
        KeptEnd kept = keptEnd;
        return kept != null && kept.endedAt() <= at + KEPT_SLACK;
    }

    /** Returns the run that began last under a valid claim; null if there is none. */
    @Nullable
    HandlerRun lastRun() {
        return runs.stream()
                .filter(run -> !run.isStale())
                .max(Comparator.comparingLong(run -> run.start))
                .orElse(null);
    }

    boolean isScheduled() {
        return published != null && published.dueAt() != 0;
    }

    /** Returns the task with its key and place, for findings. */
    String describe() {
        Published known = published;
        return known == null
                ? "Task " + id
                : "Task " + id + " (key " + known.key() + ", partition " + known.partition() + ", position "
                        + known.sequence() + ")";
    }

    /** Returns all runs, for findings. */
    String describeRuns() {
        return runs.isEmpty() ? "none" : runs.toString();
    }
}
