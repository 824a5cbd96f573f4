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

/** Users who may read and write, and configure nothing or little, where others make what queues need. */
@Execution(ExecutionMode.CONCURRENT)
class RabbitPermissionIT {

    private static final String FORBIDDEN = "is not allowed to this user (ACCESS_REFUSED";

    @TempDir
    private static Path folder;

    private static LocalAmqp rabbit;

    private final String name = UniqueNames.fresh("orders");

    @BeforeAll
    static void start() throws IOException {
        Path users = Files.writeString(
                folder.resolve("users.json"), """
                {
                  "vhosts": [{"name": "/"}],
                  "users": [%s, %s, %s],
                  "permissions": [
                    {"user": "guest", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"},
                    {"user": "reader", "vhost": "/", "configure": "^$", "write": ".*", "read": ".*"},
                    {"user": "ringer", "vhost": "/", "configure": "\\\\.ring(-lock)?$", "write": ".*", "read": ".*"}
                  ]
                }
                """.formatted(user("guest"), user("reader"), user("ringer")));
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
    void anUnorderedQueueThatIsThereIsWorkedOffWithoutConfigure() throws Exception {
        declared(as("guest"));
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(as("reader")));
                Loop loop = new Loop(as("reader")).openAll()) {
            publish(publisher, "k");
            loop.untilDelivered(1);
            loop.ackAll();
            loop.settle(loop.partition(0));
        }
    }

    @Test
    void whatIsMissingIsNamedWithWhatToGrant() {
        assertRefused(
                as("reader"),
                "The exchange '" + name + ".in' " + FORBIDDEN,
                "grant configure, write and read on names that begin with '" + name + "'",
                "or have an administrator declare them");
    }

    @Test
    void publishersToAnOrderedQueueNeedNoConfigure() throws Exception {
        declared(as("guest").orderedByHeader());
        try (RabbitPublisher publisher =
                        new RabbitPublisher(List.of(as("reader").orderedByHeader()));
                Loop loop = new Loop(as("guest").orderedByHeader()).openAll()) {
            publish(publisher, "k");
            loop.untilDelivered(1);
        }
    }

    @Test
    void executorsOfAnOrderedQueueAreToldOfTheRingsPermission() throws Exception {
        declared(as("guest").orderedByHeader());

        assertRefused(
                as("reader").orderedByHeader(),
                "The queue '" + name + ".ring-lock' " + FORBIDDEN,
                "grant configure on '" + name + ".ring-lock' and '" + name + ".keys.ring'");
    }

    @Test
    void thatPermissionIsEnoughToMakeTheRing() throws Exception {
        RabbitSettings settings = as("ringer").orderedByHeader();
        declared(as("guest").orderedByHeader());
        try (Connection connection = SharedRabbit.connect(rabbit.address())) {
            connection.createChannel().exchangeDelete(Topology.ringName(settings));
        }
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings));
                Loop loop = new Loop(settings).openAll()) {
            publish(publisher, "k");
            loop.untilDelivered(1);
        }
    }

    private RabbitSettings as(String user) {
        return RabbitSettings.of(rabbit.address().replace("guest:guest", user + ":" + user), name)
                .withExchange(name + ".in")
                .withPartitions(2);
    }

    private static void declared(RabbitSettings settings) {
        try (Loop loop = new Loop(settings)) {
            loop.connected();
        }
    }

    private void publish(RabbitPublisher publisher, String key) throws Exception {
        RabbitPublisherIT.get(publisher.publish(Task.of(name, key, "{}".getBytes(StandardCharsets.UTF_8))));
    }

    private static void assertRefused(RabbitSettings refused, String... parts) {
        try (Loop loop = new Loop(refused)) {
            loop.until("refused", () -> !loop.source.status().detail().startsWith("not connected yet"));
            assertThat(loop.source.status().connected()).isFalse();
            assertThat(loop.source.status().detail()).contains(parts);
        }
    }

    /** With its name for a password, hashed as RabbitMQ does: salt, then SHA-256 of salt and password. */
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
