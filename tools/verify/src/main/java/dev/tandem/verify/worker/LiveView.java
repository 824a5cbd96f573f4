package dev.tandem.verify.worker;

import dev.tandem.verify.load.TaskGenerator;
import dev.tandem.verify.record.Event;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * What the executors of a trial are doing now, as their events tell; for progress and for faults that wait for a good
 * moment. It judges nothing. Thread-safe.
 */
public final class LiveView {

    private final Map<String, Map<String, Long>> running = new HashMap<>();
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Map<String, Long> lastStart = new HashMap<>();
    private final Set<String> ended = new HashSet<>();
    private final Set<String> frozen = new HashSet<>();
    private final Set<String> worked = new HashSet<>();
    private final Map<String, Long> clocks = new HashMap<>();
    private long finished;

    /** Takes in new events of a process. */
    synchronized void add(List<Event> events) {
        for (Event event : events) {
            if (event instanceof Event.RunStarted started) {
                running.computeIfAbsent(started.process(), p -> new HashMap<>()).put(started.id(), started.at());
                lastStart.put(started.id(), started.at());
                worked.add(started.process());
            } else if (event instanceof Event.RunFinished end) {
                running.getOrDefault(end.process(), new HashMap<>()).remove(end.id());
                finished++;
                if (end.ending() == Event.Ending.SUCCEEDED || end.ending() == Event.Ending.DEAD) {
                    ended.add(end.id());
                }
            } else if (event instanceof Event.ProcessFrozen freeze) {
                frozen.add(freeze.process());
            } else if (event instanceof Event.ClockSet set) {
                clocks.put(set.process(), set.aheadMillis());
            }
        }
        if (!events.isEmpty()) {
            notifyAll();
        }
    }

    /** The ids of the tasks whose handlers run in a process. */
    public synchronized Set<String> running(String process) {
        return Set.copyOf(running.getOrDefault(process, Map.of()).keySet());
    }

    /** How many tasks that last a while began in a process a moment ago: they are under way for a moment more. */
    public synchronized long fresh(String process) {
        long since = System.nanoTime() - FRESH_NANOS;
        return running.getOrDefault(process, Map.of()).entrySet().stream()
                .filter(each -> TaskGenerator.lastsAWhile(each.getKey()) && each.getValue() > since)
                .count();
    }

    /** Whether a process has started a task. */
    public synchronized boolean hasWorked(String process) {
        return worked.contains(process);
    }

    /** Whether a process has frozen itself. */
    public synchronized boolean hasFrozen(String process) {
        return frozen.contains(process);
    }

    /** How much the clock of a process is ahead of the machine's, in milliseconds. */
    public synchronized long clockAhead(String process) {
        return clocks.getOrDefault(process, 0L);
    }

    /** Whether a handler has ended this task for good. */
    public synchronized boolean hasEnded(String id) {
        return ended.contains(id);
    }

    /** Whether these tasks were started after that time. */
    public synchronized boolean haveStartedSince(Set<String> ids, long since) {
        return ids.stream().allMatch(id -> lastStart.getOrDefault(id, Long.MIN_VALUE) > since);
    }

    /** Handlers that ended, all together. */
    public synchronized long finished() {
        return finished;
    }

    /** Tasks that a handler ended for good. */
    public synchronized long ended() {
        return ended.size();
    }

    /** Waits until this holds. @return false if it did not in time */
    public boolean await(long millis, Predicate<LiveView> holds) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!holds.test(this)) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            synchronized (this) {
                wait(Math.min(left, 50));
            }
        }
        return true;
    }
}
