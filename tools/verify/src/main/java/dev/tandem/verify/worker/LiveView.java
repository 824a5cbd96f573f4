package dev.tandem.verify.worker;

import dev.tandem.verify.load.FanTasks;
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
 * The present work of a trial's executors, according to their events. Used for progress, and by faults that wait
 * for a good moment; verdicts do not depend on it. Thread-safe.
 */
public final class LiveView {

    private static final long NEW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_WAIT_MILLIS = 50;

    /** Start times by task id, for each process. */
    private final Map<String, Map<String, Long>> running = new HashMap<>();

    private final Map<String, Long> lastStart = new HashMap<>();
    private final Set<String> ended = new HashSet<>();
    private final Set<String> finishedGroups = new HashSet<>();
    private final Set<String> frozen = new HashSet<>();
    private final Set<String> worked = new HashSet<>();
    private final Map<String, Long> clocks = new HashMap<>();
    private boolean eventsDropped;
    private long finished;

    /** Adds new events of a process. */
    synchronized void add(List<Event> events) {
        for (Event event : events) {
            if (event instanceof Event.RunStarted started) {
                running.computeIfAbsent(started.process(), process -> new HashMap<>())
                        .put(started.id(), started.at());
                lastStart.put(started.id(), started.at());
                worked.add(started.process());
            } else if (event instanceof Event.RunFinished end) {
                running.getOrDefault(end.process(), new HashMap<>()).remove(end.id());
                finished++;
                if (end.ending() == Event.Ending.SUCCEEDED || end.ending() == Event.Ending.DEAD) {
                    ended.add(end.id());
                    String group = FanTasks.groupOfFinal(end.id());
                    if (group != null) {
                        finishedGroups.add(group);
                    }
                }
            } else if (event instanceof Event.TaskEventsDropped) {
                eventsDropped = true;
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

    /** Hears that a task has ended, with or without a run. */
    public synchronized void ended(String id) {
        ended.add(id);
        notifyAll();
    }

    /** Returns whether a process has dropped events of tasks, so that some ends are not heard of. */
    public synchronized boolean haveEventsBeenDropped() {
        return eventsDropped;
    }

    /** Returns the ids of the tasks that any process is running, or did when it ended. */
    public synchronized Set<String> running() {
        Set<String> ids = new HashSet<>();
        running.values().forEach(each -> ids.addAll(each.keySet()));
        return ids;
    }

    /** Returns the ids of the tasks that a process is running. */
    public synchronized Set<String> running(String process) {
        return Set.copyOf(running.getOrDefault(process, Map.of()).keySet());
    }

    /** Returns how many long tasks a process started a moment ago, so that they will be active for a while. */
    public synchronized long newLongRuns(String process) {
        long since = System.nanoTime() - NEW_NANOS;
        return running.getOrDefault(process, Map.of()).entrySet().stream()
                .filter(run -> TaskGenerator.isLong(run.getKey()) && run.getValue() > since)
                .count();
    }

    /** Returns whether a process has started a task. */
    public synchronized boolean hasWorked(String process) {
        return worked.contains(process);
    }

    /** Returns whether a process has frozen itself. */
    public synchronized boolean hasFrozen(String process) {
        return frozen.contains(process);
    }

    /** Returns how many milliseconds the wall clock of a process is ahead of the machine's. */
    public synchronized long clockAhead(String process) {
        return clocks.getOrDefault(process, 0L);
    }

    /** Returns whether this task has ended for good. */
    public synchronized boolean hasEnded(String id) {
        return ended.contains(id);
    }

    /** Returns whether the final task of a group of subtasks has ended, or a copy of it. */
    public synchronized boolean hasFinished(String group) {
        return finishedGroups.contains(group);
    }

    /** Returns whether all of these tasks were started after this time. */
    public synchronized boolean haveStartedSince(Set<String> ids, long since) {
        return ids.stream().allMatch(id -> lastStart.getOrDefault(id, Long.MIN_VALUE) > since);
    }

    /** Returns how many handlers have ended. */
    public synchronized long finished() {
        return finished;
    }

    /** Returns how many tasks a handler has ended for good. */
    public synchronized long ended() {
        return ended.size();
    }

    /**
     * Waits until a condition holds.
     *
     * @return whether it held in time
     */
    public boolean await(long millis, Predicate<LiveView> condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!condition.test(this)) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            synchronized (this) {
                wait(Math.min(left, MAX_WAIT_MILLIS));
            }
        }
        return true;
    }
}
