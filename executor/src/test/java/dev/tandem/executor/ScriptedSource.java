package dev.tandem.executor;

import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A source that follows a test's script inside of poll, commits at once, and records its calls. */
final class ScriptedSource implements Source {

    final List<String> calls = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Consumer<Events>> script = new LinkedBlockingQueue<>();
    volatile Collection<Partition> leasable = List.of();
    /** Of a log. */
    volatile Collection<Partition> partitions = List.of();
    /** Null unless the test lets the log grow. */
    volatile @Nullable Growing growing;

    private final Kind kind;
    private volatile boolean closed;
    private volatile boolean answersInsideCalls;
    private volatile Events lastEvents;

    ScriptedSource() {
        this(Kind.LOG);
    }

    ScriptedSource(Kind kind) {
        this.kind = kind;
    }

    /** Adds a step that runs in a poll, the current one or the next. */
    void then(Consumer<Events> step) {
        script.add(step);
    }

    /** From now on, commits are answered before the call returns. */
    void answerInsideCalls() {
        answersInsideCalls = true;
    }

    boolean closed() {
        return closed;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public Collection<Partition> leasable() {
        return leasable;
    }

    @Override
    public Collection<Partition> partitions() {
        return kind == Kind.LOG ? partitions : leasable;
    }

    @Override
    public Facts leaseFacts() {
        return Facts.ofQueue("the mail queue");
    }

    @Override
    public @Nullable Growing growing() {
        return growing;
    }

    @Override
    public void poll(long maxMillis, Events events) {
        lastEvents = events;
        try {
            Consumer<Events> step = script.poll(maxMillis, TimeUnit.MILLISECONDS);
            for (; step != null; step = script.poll()) {
                step.accept(events);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void rest(boolean resting) {
        calls.add("rest " + resting);
    }

    @Override
    public void wakeup() {
        script.add(events -> {});
    }

    @Override
    public void open(Partition partition) {
        calls.add("open " + partition);
    }

    @Override
    public void pause(Partition partition) {
        calls.add("pause " + partition);
    }

    @Override
    public void resume(Partition partition) {
        calls.add("resume " + partition);
    }

    @Override
    public void rewind(Partition partition) {
        calls.add("rewind " + partition);
    }

    @Override
    public void commit(Partition partition, long upTo) {
        calls.add("commit " + partition + " " + upTo);
        if (answersInsideCalls) {
            lastEvents.committed(partition, upTo);
        } else {
            then(events -> events.committed(partition, upTo));
        }
    }

    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        calls.add("ack " + partition + " " + sequences);
    }

    @Override
    public void confirm(Partition partition) {
        calls.add("confirm " + partition);
    }

    @Override
    public void close(Partition partition) {
        calls.add("close " + partition);
    }

    @Override
    public void close() {
        closed = true;
        calls.add("closed");
    }
}
