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

/** A source that does what a test tells it inside of poll, commits at once and writes down what it was asked. */
final class ScriptedSource implements Source {

    final List<String> log = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Consumer<Events>> script = new LinkedBlockingQueue<>();
    volatile Collection<Partition> leasable = List.of();
    private final Kind kind;
    private volatile boolean closed;
    private volatile boolean inside;
    private volatile Events lastEvents;

    ScriptedSource() {
        this(Kind.LOG);
    }

    ScriptedSource(Kind kind) {
        this.kind = kind;
    }

    /** Happens in a poll, this one or the next. */
    void then(Consumer<Events> step) {
        script.add(step);
    }

    /** From now on commits are answered before they return. */
    void answerInside() {
        inside = true;
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
    public void wakeup() {
        script.add(events -> {});
    }

    @Override
    public void open(Partition partition) {
        log.add("open " + partition);
    }

    @Override
    public void pause(Partition partition) {
        log.add("pause " + partition);
    }

    @Override
    public void resume(Partition partition) {
        log.add("resume " + partition);
    }

    @Override
    public void rewind(Partition partition) {
        log.add("rewind " + partition);
    }

    @Override
    public void commit(Partition partition, long upTo) {
        log.add("commit " + partition + " " + upTo);
        if (inside) {
            lastEvents.committed(partition, upTo);
        } else {
            then(events -> events.committed(partition, upTo));
        }
    }

    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        log.add("ack " + partition + " " + sequences);
    }

    @Override
    public void confirm(Partition partition) {
        log.add("confirm " + partition);
    }

    @Override
    public void close(Partition partition) {
        log.add("close " + partition);
    }

    @Override
    public void close() {
        closed = true;
        log.add("closed");
    }
}
