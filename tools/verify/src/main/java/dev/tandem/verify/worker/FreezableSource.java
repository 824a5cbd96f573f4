package dev.tandem.verify.worker;

import dev.tandem.task.Partition;
import dev.tandem.task.Recall;
import dev.tandem.task.Source;
import java.util.Collection;

/** A source that lets its process freeze before a commit or an ack. */
final class FreezableSource implements Source {

    private final Source source;
    private final WorkerOrders orders;

    FreezableSource(Source source, WorkerOrders orders) {
        this.source = source;
        this.orders = orders;
    }

    @Override
    public Kind kind() {
        return source.kind();
    }

    @Override
    public Collection<Partition> leasable() {
        return source.leasable();
    }

    @Override
    public Collection<Partition> partitions() {
        return source.partitions();
    }

    @Override
    public Facts leaseFacts() {
        return source.leaseFacts();
    }

    @Override
    public void poll(long maxMillis, Events events) {
        source.poll(maxMillis, events);
    }

    @Override
    public void rest(boolean resting) {
        source.rest(resting);
    }

    @Override
    public void wakeup() {
        source.wakeup();
    }

    @Override
    public void open(Partition partition) {
        source.open(partition);
    }

    @Override
    public void pause(Partition partition) {
        source.pause(partition);
    }

    @Override
    public void resume(Partition partition) {
        source.resume(partition);
    }

    @Override
    public void rewind(Partition partition) {
        source.rewind(partition);
    }

    @Override
    public void cutRecorded(Partition partition) {
        source.cutRecorded(partition);
    }

    @Override
    public void recall(Partition partition, Recall recall) {
        source.recall(partition, recall);
    }

    @Override
    public long retentionMillis() {
        return source.retentionMillis();
    }

    @Override
    public void commit(Partition partition, long upTo) {
        orders.reached(WorkerOrders.FreezePoint.COMMIT);
        source.commit(partition, upTo);
    }

    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        orders.reached(WorkerOrders.FreezePoint.COMMIT);
        source.ack(partition, sequences);
    }

    @Override
    public void confirm(Partition partition) {
        source.confirm(partition);
    }

    @Override
    public void close(Partition partition) {
        source.close(partition);
    }

    @Override
    public void close() {
        source.close();
    }
}
