package dev.tandem.executor;

import dev.tandem.ordering.CoreEvent;
import dev.tandem.task.Envelope;
import dev.tandem.task.LogText;
import dev.tandem.task.Partition;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Says which keys are halted, and by which dead tasks. Why a task died is in the line of its death. Only formats; another
 * class logs. Used by one thread.
 *
 * <p>Within {@value #WINDOW_MILLIS} ms the first {@value #MAX_LINES} keys have a line of their own, and one line at the end
 * counts the others: a handler that is broken may halt thousands.
 */
final class HaltedKeyLog {

    static final int MAX_LINES = 10;
    static final long WINDOW_MILLIS = 10_000;

    private static final int MAX_TEXT = 300;

    private final boolean namesKeys;
    private final List<String> lines = new ArrayList<>();
    private final Set<Partition> leftOutIn = new LinkedHashSet<>();
    private long windowEnd = Long.MIN_VALUE;
    private int linesInWindow;
    private long leftOut;

    /** @param namesKeys whether lines name the keys, which may be personal data */
    HaltedKeyLog(boolean namesKeys) {
        this.namesKeys = namesKeys;
    }

    void add(CoreEvent.KeyHalted event) {
        if (linesInWindow < MAX_LINES) {
            linesInWindow++;
            lines.add(line(event));
        } else {
            leftOut++;
            leftOutIn.add(event.partition());
        }
    }

    /** Removes and returns the lines that may be logged now. To be called after each turn. */
    List<String> takeDue(long nowMillis) {
        if (linesInWindow == 0) {
            return List.of();
        }
        if (windowEnd == Long.MIN_VALUE) {
            windowEnd = nowMillis + WINDOW_MILLIS;
        }
        return nowMillis < windowEnd ? takeLines() : takeAll();
    }

    /** Removes and returns all lines, and counts what was left out. */
    List<String> takeAll() {
        List<String> all = takeLines();
        if (leftOut > 0) {
            Partition first = leftOutIn.iterator().next();
            all = new ArrayList<>(all);
            all.add(first.queue() + ": " + leftOut + (leftOut == 1 ? " more key was" : " more keys were")
                    + " halted in " + PartitionNames.describe(leftOutIn) + ". 'keys list " + first.queue()
                    + "' lists them");
        }
        windowEnd = Long.MIN_VALUE;
        linesInWindow = 0;
        leftOut = 0;
        leftOutIn.clear();
        return all;
    }

    private List<String> takeLines() {
        List<String> taken = List.copyOf(lines);
        lines.clear();
        return taken;
    }

    private String line(CoreEvent.KeyHalted event) {
        Partition partition = event.partition();
        Envelope dead = Envelope.decode(partition.queue(), event.envelope());
        String key = namesKeys ? "key '" + LogText.oneLine(event.key(), OwnershipLog.MAX_KEY_LENGTH) + "'" : "a key";
        return partition + ": " + key + " is halted by the dead task " + name(partition, event, dead.task())
                + ", until an operator retries, skips or drains it";
    }

    /** Returns the publisher's id, if there is one, and the reference by which the API and the command line know the task. */
    private static String name(Partition partition, CoreEvent.KeyHalted event, Task task) {
        String ref = "@" + partition.name() + "/" + event.head();
        return task.id() == null ? ref : LogText.oneLine(task.id(), MAX_TEXT) + " (" + ref + ")";
    }
}
