package dev.tandem.rabbit;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import java.util.List;
import java.util.function.Supplier;

/** One partition while the engine has it open: its channel, and how far that is. The loop's own. */
final class Slot {

    private static final long FIRST_COUNT_NANOS = 200_000_000L;
    private static final long MAX_COUNT_NANOS = 10_000_000_000L;

    final Partition partition;
    private final Supplier<Intake> channels;
    private Intake intake;
    private boolean paused;
    private String problem = "";
    private int failures;

    private boolean caughtUp;
    /** Deliveries until then; -1: not known. */
    private long caughtUpAt = -1;

    private long countedAt;
    private long countWait;

    /** @param channels another one at each call */
    Slot(Partition partition, Supplier<Intake> channels) {
        this.partition = partition;
        this.channels = channels;
        this.intake = channels.get();
    }

    Intake intake() {
        return intake;
    }

    /** A new channel instead of the one before. */
    Intake begin() {
        intake = channels.get();
        intake.pause(paused);
        caughtUp = false;
        caughtUpAt = -1;
        countWait = 0;
        return intake;
    }

    void pause(boolean wanted) {
        paused = wanted;
        intake.pause(wanted);
    }

    /** Its channel could not be opened. @return whether that is news */
    boolean isNews(String reason) {
        failures++;
        boolean news = !reason.equals(problem);
        problem = reason;
        return news;
    }

    int failures() {
        return failures;
    }

    /**
     * What was just handed over. What earlier owners left comes before what was never delivered: a classic queue puts it
     * back in its place, a quorum queue with a delivery limit before all else.
     */
    void took(List<Delivery> batch) {
        if (!caughtUp && batch.stream().anyMatch(delivery -> !delivery.redelivered())) {
            counted(intake.taken());
        }
    }

    /**
     * Whether the queue is to be asked now how much of what earlier owners left is still to come. Its answer counts only
     * when ours is the active consumer, and the only one.
     */
    boolean isCountDue(long nowNanos) {
        if (caughtUp || !intake.wasOpened() || (countWait > 0 && nowNanos - countedAt < countWait)) {
            return false;
        }
        countedAt = nowNanos;
        countWait = Math.max(FIRST_COUNT_NANOS, Math.min(MAX_COUNT_NANOS, countWait * 2));
        return true;
    }

    /** The queue's answer: it is after so many deliveries. What came between two round trips may be counted twice. */
    void counted(long deliveries) {
        caughtUpAt = caughtUpAt < 0 ? deliveries : Math.min(caughtUpAt, deliveries);
    }

    /** Whether all that earlier owners left was taken, once. */
    boolean becomesCaughtUp() {
        boolean now = !caughtUp && caughtUpAt >= 0 && intake.taken() >= caughtUpAt;
        caughtUp |= now;
        return now;
    }
}
