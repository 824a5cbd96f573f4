package dev.tandem.rabbit;

import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/** Makes the consuming channels of one source, each with a number of its own. Used by the loop's thread only. */
final class ConsumerChannels {

    private final MessageDecoder decoder;
    private final MemoryBudget memory;
    private final LongSupplier nanoTime;
    private final ChannelReopening reopening;
    private final ConsumerChannel.Listener listener;
    private long count;

    ConsumerChannels(
            RabbitSettings settings,
            MemoryBudget memory,
            LongSupplier nanoTime,
            ChannelReopening reopening,
            ConsumerChannel.Listener listener) {
        this.decoder = new MessageDecoder(settings, InstantSource.system());
        this.memory = memory;
        this.nanoTime = nanoTime;
        this.reopening = reopening;
        this.listener = listener;
    }

    ConsumerChannel create(Partition partition, String queue) {
        return new ConsumerChannel(
                partition, queue, ++count, reopening.prefetch(), decoder, memory.account(), nanoTime, listener);
    }
}
