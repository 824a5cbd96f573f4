package dev.tandem.executor;

import dev.tandem.ordering.CoreEvent;
import dev.tandem.task.LogText;
import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.event.Level;

/**
 * Turns the core's events into log lines. Only formats; another class logs. Used by one thread.
 *
 * <p>An acquired, released, fenced or lost partition is one line at INFO. If a batch has more than {@value
 * #MAX_LINES} events of one kind, one line at INFO sums them up and their own lines go to DEBUG. A batch is the events
 * of one turn. After {@value #MAX_LINES} lines within {@value #WINDOW_MILLIS} ms, all further events of that time are
 * one batch, so that an executor that acquires a thousand partitions in many turns logs few lines.
 *
 * <p>Keys may be personal data: their lines are at DEBUG only, and the key is cut.
 */
final class OwnershipLog {

    static final int MAX_LINES = 8;
    static final long WINDOW_MILLIS = 1_000;
    static final int MAX_KEY_LENGTH = 64;

    record Line(Level level, String text) {}

    private final List<CoreEvent> keyEvents = new ArrayList<>();
    private final List<CoreEvent> partitionEvents = new ArrayList<>();
    private long windowEnd = Long.MIN_VALUE;
    private long linesInWindow;

    /** Returns whether an event has no line above DEBUG, so that there is no need to add it if DEBUG is off. */
    static boolean isDebugOnly(CoreEvent event) {
        return event instanceof CoreEvent.KeyBlocked || event instanceof CoreEvent.KeyOpened;
    }

    void add(CoreEvent event) {
        (isDebugOnly(event) ? keyEvents : partitionEvents).add(event);
    }

    /** Removes and returns the lines that may be logged now. */
    List<Line> takeDue(long nowMillis) {
        if (keyEvents.isEmpty() && partitionEvents.isEmpty()) {
            return List.of();
        }
        if (nowMillis >= windowEnd) {
            windowEnd = nowMillis + WINDOW_MILLIS;
            linesInWindow = 0;
        }
        if (linesInWindow >= MAX_LINES) {
            return takeKeyEvents();
        }
        List<Line> lines = takeAll();
        linesInWindow +=
                lines.stream().filter(line -> line.level() == Level.INFO).count();
        return lines;
    }

    /** Removes and returns all lines, also those that must wait. */
    List<Line> takeAll() {
        List<Line> lines = takePartitionEvents();
        lines.addAll(takeKeyEvents());
        return lines;
    }

    private List<Line> takePartitionEvents() {
        List<Line> lines = new ArrayList<>();
        Map<String, List<CoreEvent>> byKind =
                partitionEvents.stream().collect(Collectors.groupingBy(OwnershipLog::verb));
        for (CoreEvent event : partitionEvents) {
            List<CoreEvent> sameKind = byKind.getOrDefault(verb(event), List.of());
            boolean summed = sameKind.size() > MAX_LINES;
            if (summed && sameKind.get(0) == event) {
                lines.add(new Line(Level.INFO, summary(sameKind)));
            }
            lines.add(new Line(summed ? Level.DEBUG : Level.INFO, line(event)));
        }
        partitionEvents.clear();
        return lines;
    }

    private List<Line> takeKeyEvents() {
        List<Line> lines = keyEvents.stream()
                .map(event -> new Line(Level.DEBUG, line(event)))
                .toList();
        keyEvents.clear();
        return lines;
    }

    private static String summary(List<CoreEvent> events) {
        Set<Partition> partitions = events.stream().map(CoreEvent::partition).collect(Collectors.toSet());
        CoreEvent first = events.get(0);
        String did = first instanceof CoreEvent.Fenced ? "fenced on" : verb(first);
        return first.partition().queue() + ": " + did + " " + PartitionNames.describe(partitions);
    }

    private static String line(CoreEvent event) {
        return event.partition() + ": " + verb(event) + details(event);
    }

    private static String verb(CoreEvent event) {
        if (event instanceof CoreEvent.Acquired) {
            return "acquired";
        } else if (event instanceof CoreEvent.Released) {
            return "released";
        } else if (event instanceof CoreEvent.Fenced) {
            return "fenced";
        } else if (event instanceof CoreEvent.Lost) {
            return "lost";
        } else if (event instanceof CoreEvent.KeyBlocked) {
            return "blocked";
        } else if (event instanceof CoreEvent.TooManyBlockedKeys) {
            return "starts no further keys";
        }
        return "opened";
    }

    private static String details(CoreEvent event) {
        if (event instanceof CoreEvent.Acquired acquired) {
            return ", epoch " + acquired.epoch() + ", " + count(acquired.blockedKeys(), "key") + " blocked, "
                    + count(acquired.otherClaims(), "claim") + " of other executors";
        } else if (event instanceof CoreEvent.Released released) {
            return ", epoch " + released.epoch();
        } else if (event instanceof CoreEvent.Fenced fenced) {
            return ", epoch " + fenced.epoch() + ": another executor has acquired it since";
        } else if (event instanceof CoreEvent.Lost lost) {
            return ", epoch " + lost.epoch() + ": without a release by this executor";
        } else if (event instanceof CoreEvent.KeyBlocked blocked) {
            String reason = blocked.reason() == null ? "" : " (" + blocked.reason() + ")";
            return " key " + quoted(blocked.key()) + reason + ", head " + blocked.head();
        } else if (event instanceof CoreEvent.KeyOpened opened) {
            return " key " + quoted(opened.key());
        } else if (event instanceof CoreEvent.TooManyBlockedKeys many) {
            return ": " + count(many.blockedKeys(), "key") + " of it are blocked, as many as 'max-blocked-keys' allows."
                    + " Retry, skip or drain the halted ones, or raise the setting";
        }
        return "";
    }

    private static String count(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    private static String quoted(String key) {
        return "'" + LogText.oneLine(key, MAX_KEY_LENGTH) + "'";
    }
}
