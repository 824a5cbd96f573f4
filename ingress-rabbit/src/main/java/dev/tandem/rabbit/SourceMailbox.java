package dev.tandem.rabbit;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.task.Source.Events;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Hands what other threads report to the loop's thread, and wakes it. */
final class SourceMailbox implements BlockingBrokerCalls.Listener, ConsumerChannel.Listener {

    /** Handles the reports on the loop's thread. */
    interface Handler {
        void connected(Connection connection, BrokerProduct broker, List<String> queues);

        void connectFailed(Exception why);

        void disconnected(Connection connection, ShutdownSignalException signal, Events events);

        void channelFailed(ConsumerChannel channel, Exception why, Events events);

        /** @param why null if the consumer was cancelled */
        void channelEnded(ConsumerChannel channel, @Nullable Throwable why, Events events);

        void channelConfirmed(ConsumerChannel channel, Events events);

        void leftoverCounted(ConsumerChannel channel, long deliveries);
    }

    private interface Message {
        void deliver(Handler handler, Events events);
    }

    private final LoopWakeup wakeup;
    private final ConcurrentLinkedQueue<Message> messages = new ConcurrentLinkedQueue<>();

    SourceMailbox(LoopWakeup wakeup) {
        this.wakeup = wakeup;
    }

    /** Handles all messages so far. Returns whether there were any. Called by the loop's thread. */
    boolean handleAll(Handler handler, Events events) {
        boolean any = false;
        for (Message message = messages.poll(); message != null; message = messages.poll()) {
            any = true;
            message.deliver(handler, events);
        }
        return any;
    }

    private void post(Message message) {
        messages.add(message);
        wakeup.wake();
    }

    // ---- called by other threads

    @Override
    public void connected(Connection connection, BrokerProduct broker, List<String> queues) {
        post((handler, events) -> handler.connected(connection, broker, queues));
    }

    @Override
    public void connectFailed(Exception why) {
        post((handler, events) -> handler.connectFailed(why));
    }

    @Override
    public void disconnected(Connection connection, ShutdownSignalException signal) {
        post((handler, events) -> handler.disconnected(connection, signal, events));
    }

    @Override
    public void channelFailed(ConsumerChannel channel, Exception why) {
        post((handler, events) -> handler.channelFailed(channel, why, events));
    }

    @Override
    public void channelConfirmed(ConsumerChannel channel) {
        post((handler, events) -> handler.channelConfirmed(channel, events));
    }

    @Override
    public void leftoverCounted(ConsumerChannel channel, long deliveries) {
        post((handler, events) -> handler.leftoverCounted(channel, deliveries));
    }

    /** Only wakes the loop, which looks for deliveries in each turn. */
    @Override
    public void arrived() {
        wakeup.wake();
    }

    @Override
    public void ended(ConsumerChannel channel, @Nullable ShutdownSignalException signal) {
        if (!channel.isClosed() && (signal == null || !signal.isInitiatedByApplication())) {
            post((handler, events) -> handler.channelEnded(channel, signal, events));
        }
    }
}
