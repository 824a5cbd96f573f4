package dev.tandem.test;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Recall;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The log of one queue in memory, with one partition, in the place of a broker. Thread-safe: the queue's loop polls, others
 * append. Its monitor, which all queues of a test share, is told whenever a loop begins to wait.
 */
final class MemoryQueue implements Source {

    private static final int BATCH = 500;
    private static final long FLOWING_WAIT_MILLIS = 5;
    private static final long NOT_ASKED = -1;

    private final Object monitor;
    private final TestClock clock;
    private final Partition partition;

    // Guarded by the monitor.
    private final List<Task> log = new ArrayList<>();
    private boolean waiting;
    private long waitsUntil;
    private boolean woken;
    private boolean closed;
    private boolean resting;
    private boolean assigned;
    private boolean open;
    private boolean paused;
    private int next;
    private long committed = Facts.NO_OFFSET;
    private long toCommit = NOT_ASKED;
    private boolean toConfirm;
    private @Nullable Recall toRecall;

    MemoryQueue(String name, Object monitor, TestClock clock) {
        this.partition = Partition.of(name, 0);
        this.monitor = monitor;
        this.clock = clock;
    }

    Partition partition() {
        return partition;
    }

    // ---- The test

    /** Adds a task, and returns its offset. */
    long append(Task task) {
        synchronized (monitor) {
            log.add(task);
            monitor.notifyAll();
            return log.size() - 1L;
        }
    }

    /** Returns whether the loop waits, and nothing is there for it. The caller holds the monitor. */
    boolean isStill() {
        return waiting && !woken && !hasWork();
    }

    /** Returns the time by the clock's {@code millis} until which the loop waits. */
    long waitsUntil() {
        synchronized (monitor) {
            return waitsUntil;
        }
    }

    /** Returns how far the log is committed. */
    long committed() {
        synchronized (monitor) {
            return committed;
        }
    }

    // ---- The loop

    @Override
    public Kind kind() {
        return Kind.LOG;
    }

    @Override
    public Collection<Partition> partitions() {
        return List.of(partition);
    }

    @Override
    public void poll(long maxMillis, Events events) {
        awaitWork(maxMillis);
        passAnswers(events);
        passTasks(events);
    }

    private void awaitWork(long maxMillis) {
        synchronized (monitor) {
            waitsUntil = clock.millis() + maxMillis;
            waiting = true;
            monitor.notifyAll();
            try {
                while (!woken && !hasWork() && clock.millis() < waitsUntil) {
                    monitor.wait(clock.flows() ? FLOWING_WAIT_MILLIS : 0);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException("The thread of queue " + partition.queue() + " was interrupted", e);
            } finally {
                waiting = false;
                woken = false;
            }
        }
    }

    private boolean hasWork() {
        if (closed) {
            return false;
        }
        return (!assigned && !resting)
                || toCommit != NOT_ASKED
                || toConfirm
                || toRecall != null
                || (open && !paused && next < log.size());
    }

    private Facts facts() {
        return new Facts(1, "test:" + partition.queue(), committed, 0).withLogEnd(log.size());
    }

    private void passAnswers(Events events) {
        long upTo;
        boolean confirms;
        boolean assigns;
        Recall recall;
        Facts facts;
        synchronized (monitor) {
            upTo = toCommit;
            confirms = toConfirm;
            recall = toRecall;
            assigns = !assigned && !resting && !closed;
            toCommit = NOT_ASKED;
            toConfirm = false;
            toRecall = null;
            assigned |= assigns;
            committed = Math.max(committed, upTo);
            facts = facts();
        }
        if (assigns) {
            events.assigned(partition, facts);
        }
        if (upTo != NOT_ASKED) {
            events.committed(partition, upTo);
        }
        if (confirms) {
            events.confirmed(partition, facts);
        }
        if (recall != null) {
            pass(recall, events);
        }
    }

    private void pass(Recall recall, Events events) {
        List<Delivery> found = new ArrayList<>();
        long bytes = 0;
        long offset = recall.from();
        synchronized (monitor) {
            while (offset < recall.upTo() && found.size() < recall.maxTasks() && bytes < recall.maxBytes()) {
                Task task = log.get((int) offset);
                if (recall.wants(offset) && recall.wants(task)) {
                    found.add(Delivery.of(offset, task));
                    bytes += task.payload().length;
                }
                offset++;
            }
        }
        events.recalled(partition, recall.id(), found, offset);
    }

    private void passTasks(Events events) {
        List<Delivery> batch = new ArrayList<>();
        long end;
        synchronized (monitor) {
            while (open && !paused && !closed && next < log.size() && batch.size() < BATCH) {
                batch.add(Delivery.of(next, log.get(next)));
                next++;
            }
            end = next;
        }
        if (!batch.isEmpty()) {
            events.delivered(partition, batch, end);
        }
    }

    @Override
    public void wakeup() {
        change(() -> woken = true);
    }

    @Override
    public void rest(boolean value) {
        change(() -> resting = value);
    }

    @Override
    public void open(Partition opened) {
        change(() -> {
            open = true;
            next = (int) Math.max(0, committed);
        });
    }

    @Override
    public void pause(Partition pausing) {
        change(() -> paused = true);
    }

    @Override
    public void resume(Partition resuming) {
        change(() -> paused = false);
    }

    @Override
    public void rewind(Partition rewound) {
        change(() -> next = (int) Math.max(0, committed));
    }

    @Override
    public void recall(Partition from, Recall recall) {
        change(() -> toRecall = recall);
    }

    @Override
    public void commit(Partition committing, long upTo) {
        change(() -> toCommit = Math.max(toCommit, upTo));
    }

    @Override
    public void ack(Partition acking, Collection<Long> sequences) {
        throw new UnsupportedOperationException("A log is committed");
    }

    @Override
    public void confirm(Partition confirming) {
        change(() -> toConfirm = true);
    }

    @Override
    public void close(Partition closing) {
        change(() -> open = false);
    }

    @Override
    public void close() {
        change(() -> closed = true);
    }

    private void change(Runnable change) {
        synchronized (monitor) {
            change.run();
            monitor.notifyAll();
        }
    }
}
