package dev.tandem.ordering;

import dev.tandem.task.Partition;
import java.util.Collection;

/** Carries out what the core of a process that consumes message queues orders, on its channels. */
final class QueueSimCommands extends SimCommands {

    private final QueueSimProcess process;

    QueueSimCommands(QueueSimProcess process) {
        super(process);
        this.process = process;
    }

    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        super.ack(partition, sequences);
        SimChannel channel = process.channel(partition);
        for (long sequence : sequences) {
            if (channel != null && channel.delivered.containsKey(sequence)) {
                process.oracle().acks(process, channel.delivered.get(sequence));
                process.broker().ack(channel, sequence);
            }
        }
    }

    @Override
    public void open(Partition partition) {
        super.open(partition);
        Oracle.check(process.channel(partition) == null, () -> process + " opens " + partition + " twice");
        if (process.consumes(partition)) {
            process.channels.put(partition, process.broker().open(process, partition));
        }
    }

    @Override
    public void rewind(Partition partition) {
        super.rewind(partition);
        SimChannel old = process.channel(partition);
        if (old != null) {
            process.broker().close(old);
            process.channels.put(partition, process.broker().open(process, partition));
        }
    }

    @Override
    public void left(Partition partition) {
        super.left(partition);
        SimChannel channel = process.channels.remove(partition);
        if (channel != null) {
            process.broker().close(channel);
        }
        process.gaveUp(partition);
    }
}
