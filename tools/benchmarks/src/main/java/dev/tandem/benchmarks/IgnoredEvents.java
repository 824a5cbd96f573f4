package dev.tandem.benchmarks;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.util.Collection;
import java.util.List;

/** Ignores the events of a source, except those that would distort a measurement. */
abstract class IgnoredEvents implements Source.Events {

    @Override
    public void assigned(Partition partition, Source.Facts facts) {}

    @Override
    public abstract void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence);

    @Override
    public void committed(Partition partition, long upTo) {}

    @Override
    public void commitFailed(Partition partition, String why) {
        throw new IllegalStateException("The commit of " + partition + " failed: " + why);
    }

    @Override
    public void confirmed(Partition partition, Source.Facts facts) {}

    @Override
    public void revoked(Collection<Partition> partitions) {}

    @Override
    public void lost(Collection<Partition> partitions) {
        throw new IllegalStateException("Lost " + List.copyOf(partitions));
    }
}
