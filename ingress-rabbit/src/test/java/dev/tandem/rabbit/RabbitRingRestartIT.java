package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.local.LocalAmqp;
import dev.tandem.testkit.SharedRabbit;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Keys stay in their sub-queue across restarts of the broker. Also tests that would slow down the shared broker. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(OwnRabbit.LOCK)
class RabbitRingRestartIT extends RingFixture {

    /** From RabbitMQ 4.2 the ring may survive the restart, since Khepri keeps it on disk. */
    private static final int WITH_KHEPRI = 0;

    /** The most messages that the publisher has on their way. */
    private static final int UNCONFIRMED = 50;

    private static LocalAmqp rabbit;

    @BeforeAll
    static void start() {
        rabbit = OwnRabbit.get();
    }

    @Override
    String uri() {
        return rabbit.address();
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    void keysStayInTheirSubQueueAcrossBrokerRestarts() throws Exception {
        RabbitSettings steady = settings;
        Map<String, String> before = initialPlaces();
        assertThat(Set.copyOf(before.values())).as("sub-queues in use").hasSize(SUB_QUEUES);
        settings = freshQueue();
        initialPlaces();
        RabbitSettings grown = settings.withPartitions(SUB_QUEUES + 4);
        settings = grown;
        Map<String, String> afterGrowth = initialPlaces();

        for (int restart = 1; restart <= 2; restart++) {
            restart();
            settings = steady;
            assertKeysStay(restart, before);
            settings = grown;
            assertThat(initialPlaces())
                    .as("restart %d, of a queue that got more sub-queues", restart)
                    .isEqualTo(afterGrowth);
        }
    }

    private void assertKeysStay(int restart, Map<String, String> before) throws Exception {
        publishAll("gap");
        assertThat(waiting(unrouted())).as("messages that wait for the ring").isIn(KEYS, WITH_KHEPRI);

        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
            assertThat(places("gap"))
                    .as("restart %d, messages that came before executors", restart)
                    .isEqualTo(before);
            publishAll("later");
            assertThat(places("later"))
                    .as("restart %d, later messages", restart)
                    .isEqualTo(before);
        }
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    void theRingOpensAlthoughAPublisherNeverPauses() throws Exception {
        initialPlaces();
        loseRing();
        AtomicBoolean publishing = new AtomicBoolean(true);
        CompletableFuture<Void> publisher = CompletableFuture.runAsync(() -> {
            try (Connection own = SharedRabbit.connect(uri())) {
                Channel channel = own.createChannel();
                channel.confirmSelect();
                for (int i = 0; publishing.get(); i++) {
                    BasicProperties key = new BasicProperties.Builder()
                            .headers(Map.of("tandem-key", "key-" + i % KEYS))
                            .build();
                    channel.basicPublish(settings.exchange(), settings.queue(), true, key, bytes("never:pauses"));
                    if (i % UNCONFIRMED == 0) {
                        channel.waitForConfirmsOrDie(PATIENCE.toMillis()); // as fast as the broker is, and not faster
                    }
                }
            } catch (IOException | InterruptedException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        });
        await().atMost(PATIENCE).until(() -> waiting(unrouted()) > KEYS);
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
            await().atMost(PATIENCE).until(() -> waiting(unrouted()) == 0);
            assertThat(publisher).isNotDone();
        } finally {
            publishing.set(false);
            publisher.join();
        }
    }

    private void restart() throws IOException {
        rabbit.stop();
        rabbit.start();
        reconnect();
    }
}
