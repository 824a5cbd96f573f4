package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalMode;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRabbit;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Users who may read and write but configure little or nothing, on a topology that another user declared. */
@Execution(ExecutionMode.CONCURRENT)
class RabbitPermissionIT {

    private static final String FORBIDDEN = "cannot be used: RabbitMQ denies access (ACCESS_REFUSED";

    @TempDir
    private static Path folder;

    private static LocalAmqp rabbit;

    private final String name = UniqueNames.fresh("orders");

    @BeforeAll
    static void start() throws IOException {
        Path users = Files.writeString(folder.resolve("users.json"), """
                {
                  "vhosts": [{"name": "/"}],
                  "users": [%s, %s, %s, %s, %s, %s],
                  "permissions": [
                    {"user": "guest", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"},
                    {"user": "least", "vhost": "/", "configure": "^orders-\\\\w+(-by-key)?(\\\\..+)?$", "write": "^orders-\\\\w+(-by-key)?(\\\\..+)?$", "read": "^orders-\\\\w+(-by-key)?(\\\\..+)?$"},
                    {"user": "publisher", "vhost": "/", "configure": "^$", "write": "^orders-\\\\w+\\\\.in$", "read": "^$"},
                    {"user": "binder", "vhost": "/", "configure": "^$", "write": "^orders-\\\\w+(-by-key)?(\\\\..+)?$", "read": "^orders-\\\\w+(-by-key)?(\\\\..+)?$"},
                    {"user": "reader", "vhost": "/", "configure": "^$", "write": ".*", "read": ".*"},
                    {"user": "ringer", "vhost": "/", "configure": "^orders-\\\\w+\\\\.((routing-)?keys\\\\.ring|ring-lock)$", "write": ".*", "read": ".*"}
                  ]
                }
                """.formatted(
                user("guest"), user("reader"), user("ringer"), user("least"), user("publisher"), user("binder")));
        rabbit = Brokers.orSkip(() -> LocalAmqp.builder()
                .mode(LocalMode.configured().withoutDocker())
                .rabbitOnly()
                .setting("load_definitions", users.toString())
                .start());
    }

    @AfterAll
    static void end() {
        if (rabbit != null) {
            rabbit.close();
        }
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

    /**
     * Defines a user whose password is its name, hashed as RabbitMQ does: the salt, then SHA-256 of salt and password.
     */
    private static String user(String name) {
        byte[] salt = {1, 2, 3, 4};
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(salt);
            byte[] hash = digest.digest(name.getBytes(StandardCharsets.UTF_8));
            byte[] salted = new byte[salt.length + hash.length];
            System.arraycopy(salt, 0, salted, 0, salt.length);
            System.arraycopy(hash, 0, salted, salt.length, hash.length);
            return """
                    {"name": "%s", "password_hash": "%s", "hashing_algorithm": "rabbit_password_hashing_sha256", \
                    "tags": ""}""".formatted(name, Base64.getEncoder().encodeToString(salted));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
