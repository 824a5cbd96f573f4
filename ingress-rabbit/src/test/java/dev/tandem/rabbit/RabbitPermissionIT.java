package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import dev.tandem.local.LocalAmqp;
import dev.tandem.task.Task;
import dev.tandem.testkit.SharedRabbit;
import dev.tandem.testkit.UniqueNames;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Users who may read and write but configure little or nothing, on a topology that another user declared. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(OwnRabbit.LOCK)
class RabbitPermissionIT {

    private static final String FORBIDDEN = "cannot be used: RabbitMQ denies access (ACCESS_REFUSED";

    private static LocalAmqp rabbit;

    private final String name = UniqueNames.fresh("orders");

    @BeforeAll
    static void start() {
        rabbit = OwnRabbit.get();
    }

    @Test
    void consumesAnExistingUnorderedQueueWithoutConfigure() throws Exception {
        declared(as("guest"));
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(as("reader")));
                RabbitSourceDriver driver = new RabbitSourceDriver(as("reader")).openAll()) {
            publish(publisher, "k");
            driver.untilDelivered(1);
            driver.ackAll();
            driver.roundTrip(driver.partition(0));
        }
    }

    @Test
    void namesMissingPartsAndThePermissionToGrant() {
        assertRefused(
                as("reader"),
                "The exchange '" + name + ".in' " + FORBIDDEN,
                "Grant this user configure, write and read on names that begin with '" + name + "'",
                "or have an administrator declare them");
    }

    @Test
    void publishesToAnOrderedQueueWithoutConfigure() throws Exception {
        declared(as("guest").orderedByHeader());
        try (RabbitPublisher publisher =
                        new RabbitPublisher(List.of(as("reader").orderedByHeader()));
                RabbitSourceDriver driver = new RabbitSourceDriver(as("guest").orderedByHeader()).openAll()) {
            publish(publisher, "k");
            driver.untilDelivered(1);
        }
    }

    @Test
    void namesThePermissionThatTheRingNeeds() throws Exception {
        declared(as("guest").orderedByHeader());

        assertRefused(
                as("reader").orderedByHeader(),
                "The queue '" + name + ".ring-lock' " + FORBIDDEN,
                "grant this user configure on '" + name + ".ring-lock' and '" + name + ".keys.ring'");
    }

    @Test
    void thatPermissionSufficesToBuildTheRing() throws Exception {
        RabbitSettings settings = as("ringer").orderedByHeader();
        declared(as("guest").orderedByHeader());
        try (Connection connection = SharedRabbit.connect(rabbit.address())) {
            connection.createChannel().exchangeDelete(QueueTopology.ringExchange(settings));
        }
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings));
                RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            publish(publisher, "k");
            driver.untilDelivered(1);
        }
    }

    /** The rights of docs/security.md. */
    @Test
    void theLeastRightsSufficeForServersAndForPublishers() throws Exception {
        for (RabbitSettings settings : List.of(as("least"), as("least").orderedByHeader())) {
            RabbitSettings own = settings.withBrokerQueue(name + (settings.ordered() ? "-by-key" : ""));
            RabbitSettings published = own.ordered()
                    ? as("binder").orderedByHeader().withBrokerQueue(own.brokerQueue())
                    : as("publisher").withBrokerQueue(own.brokerQueue());
            try (RabbitSourceDriver driver = new RabbitSourceDriver(own).openAll();
                    RabbitPublisher publisher = new RabbitPublisher(List.of(published))) {
                publish(publisher, own.ordered() ? "k" : null);
                driver.untilDelivered(1);
                driver.ackAll();
            }
        }
    }

    private RabbitSettings as(String user) {
        return RabbitSettings.of(rabbit.address().replace("guest:guest", user + ":" + user), name)
                .withExchange(name + ".in")
                .withPartitions(2);
    }

    private static void declared(RabbitSettings settings) {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings)) {
            driver.connected();
        }
    }

    private void publish(RabbitPublisher publisher, String key) throws Exception {
        RabbitPublisherIT.get(publisher.publish(Task.of(name, key, "{}".getBytes(StandardCharsets.UTF_8))));
    }

    private static void assertRefused(RabbitSettings refused, String... parts) {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(refused)) {
            driver.until("refused", () -> !driver.source.status().detail().startsWith("not connected yet"));
            assertThat(driver.source.status().connected()).isFalse();
            assertThat(driver.source.status().detail()).contains(parts);
        }
    }
}
