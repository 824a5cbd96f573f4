package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A failure of the program itself while it connects, such as a thread that cannot be started. */
class BrokenConnectTest {

    private final BlockingQueue<Exception> failures = new LinkedBlockingQueue<>();

    @Test
    void isReportedLikeAnyOtherSoThatTheSourceTriesAgain() throws IOException, InterruptedException {
        // The thread that connects cannot start the client's threads.
        ThreadFactory noneFromWithin = task -> {
            if (Thread.currentThread().getName().equals("connects")) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            Thread thread = new Thread(task, "connects");
            thread.setDaemon(true);
            return thread;
        };
        try (ServerSocket broker = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            RabbitSettings settings =
                    RabbitSettings.of("amqp://guest:guest@127.0.0.1:" + broker.getLocalPort(), "orders");
            BlockingBrokerCalls calls = new BlockingBrokerCalls(settings, new Silent(), new Failures(), noneFromWithin);
            calls.connect(0);
            assertThat(failures.poll(30, TimeUnit.SECONDS)).hasMessageContaining("unable to create native thread");
            calls.connect(0);
            assertThat(failures.poll(30, TimeUnit.SECONDS)).isNotNull();
            calls.shutdown();
        }
    }

    private final class Failures implements BlockingBrokerCalls.Listener {
        @Override
        public void connectFailed(Exception why) {
            failures.add(why);
        }

        @Override
        public void connected(Connection connection, BrokerProduct broker, List<String> queues) {}

        @Override
        public void disconnected(Connection connection, ShutdownSignalException signal) {}

        @Override
        public void channelFailed(ConsumerChannel channel, Exception why) {}

        @Override
        public void channelConfirmed(ConsumerChannel channel) {}

        @Override
        public void leftoverCounted(ConsumerChannel channel, long deliveries) {}
    }

    private static final class Silent implements QueueLog {
        @Override
        public void info(String text) {}

        @Override
        public void warn(String text) {}
    }
}
