package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.kafka.KafkaPublisher;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalMode;
import dev.tandem.local.PortReservations;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.ShellCalls;
import dev.tandem.testkit.TestCertificates;
import dev.tandem.testkit.TestCertificates.Issued;
import dev.tandem.testkit.UniqueNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A server and a publisher on a Kafka with TLS of a private authority, SCRAM and ACLs, as the users with the least rights that
 * docs/security.md describes.
 */
@Execution(ExecutionMode.CONCURRENT)
class SecureKafkaIT {

    private static final String SERVER = "tandem-server";
    private static final String PUBLISHER = "orders-publisher";

    @TempDir
    private static Path folder;

    private static TestCertificates authority;
    private static String address;
    private static LocalKafka kafka;

    @BeforeAll
    static void start() throws Exception {
        authority = TestCertificates.authority(folder, "ca");
        Issued issued = authority.issue("kafka");
        Path store = Files.writeString(
                folder.resolve("kafka-store.pem"),
                Files.readString(issued.key()) + Files.readString(issued.certificate()));
        int port = PortReservations.reserve();
        address = "localhost:" + port;
        kafka = Brokers.orSkip(() -> LocalKafka.builder()
                .mode(LocalMode.configured().withoutDocker())
                .proxiedListener(port, port)
                .setting("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXY0:SASL_SSL")
                .setting("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .setting("super.users", "User:ANONYMOUS")
                .setting("sasl.enabled.mechanisms", "SCRAM-SHA-256")
                .setting(
                        "listener.name.proxy0.scram-sha-256.sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required;")
                .setting("listener.name.proxy0.ssl.keystore.type", "PEM")
                .setting("listener.name.proxy0.ssl.keystore.location", store.toString())
                .start());
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.address()))) {
            admin.alterUserScramCredentials(List.of(credentials(SERVER), credentials(PUBLISHER)))
                    .all()
                    .get();
            admin.createAcls(documented()).all().get();
        }
    }

    @AfterAll
    static void stop() {
        if (kafka != null) {
            kafka.close();
        }
    }

    @Test
    void serverAndPublisherWorkWithTheDocumentedRightsOnly() {
        try (RunningServer server = new RunningServer(settings("orders"));
                KafkaPublisher publisher = publisher("orders")) {
            server.awaitHealth();
            publish(publisher, "orders");
            assertThat(server.post("/api/v1/queues/orders/tasks", "{\"payload\": 2, \"delay\": \"200ms\"}")
                            .status())
                    .isEqualTo(202);

            await().atMost(PATIENCE)
                    .until(() -> server.get("/api/v1/queues/orders")
                                    .json()
                                    .path("counts")
                                    .path("succeeded")
                                    .asLong()
                            == 2);
            await("events").atMost(PATIENCE).until(() -> ends("tandem-events.orders") == 2);
        }
    }

    @Test
    void aMissingRightIsNamedWithItsTopicAndTheRemedy() {
        try (KafkaPublisher publisher = publisher("secret-orders")) {
            assertThatThrownBy(() -> publish(publisher, "secret-orders"))
                    .hasMessageContaining("topic 'secret-orders'")
                    .hasMessageContaining("Write")
                    .hasMessageContaining("kafka-acls.sh");
        }
        try (RunningServer server = new RunningServer(settings("secret-orders"))) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(
                                    server.get("/api/v1/queues/secret-orders").body())
                            .contains("topic 'secret-orders'")
                            .contains("Read")
                            .contains("kafka-acls.sh"));
        }
    }

    /** Returns the ACLs that the page's calls of {@code kafka-acls.sh} add. */
    private static List<AclBinding> documented() {
        List<AclBinding> bindings = new ArrayList<>();
        for (ShellCalls.Call call :
                ShellCalls.in(DocumentedBlocks.in(DocumentedBlocks.root().resolve("docs/security.md")))) {
            if (call.program().equals("kafka-acls.sh")) {
                bindings.addAll(bindings(call.words()));
            }
        }
        assertThat(bindings).hasSizeGreaterThan(5);
        return bindings;
    }

    private static List<AclBinding> bindings(List<String> words) {
        String principal = words.get(words.indexOf("--allow-principal") + 1);
        boolean topic = words.contains("--topic");
        String name = words.get(words.indexOf(topic ? "--topic" : "--group") + 1);
        ResourcePattern resource =
                new ResourcePattern(topic ? ResourceType.TOPIC : ResourceType.GROUP, name, PatternType.LITERAL);
        List<AclBinding> bindings = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).equals("--operation")) {
                AclOperation operation =
                        AclOperation.fromString(words.get(i + 1).replaceAll("(?<=[a-z])(?=[A-Z])", "_"));
                assertThat(operation).isNotEqualTo(AclOperation.UNKNOWN);
                bindings.add(new AclBinding(
                        resource, new AccessControlEntry(principal, "*", operation, AclPermissionType.ALLOW)));
            }
        }
        return bindings;
    }

    private static UserScramCredentialUpsertion credentials(String user) {
        return new UserScramCredentialUpsertion(
                user, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), secret(user));
    }

    private static String secret(String user) {
        return "secret-of-" + user;
    }

    private static Map<String, String> properties(String user) {
        return Map.of(
                "security.protocol",
                "SASL_SSL",
                "sasl.mechanism",
                "SCRAM-SHA-256",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"" + user + "\" password=\""
                        + secret(user) + "\";",
                "ssl.truststore.type",
                "PEM",
                "ssl.truststore.location",
                authority.ca().toString());
    }

    private static KafkaPublisher publisher(String queue) {
        return new KafkaPublisher(List.of(KafkaSettings.of(address, queue).withProperties(properties(PUBLISHER))));
    }

    private static void publish(KafkaPublisher publisher, String queue) {
        publisher
                .publish(Task.of(queue, "customer-7", new byte[] {'1'}))
                .toCompletableFuture()
                .join();
    }

    private static long ends(String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.address()))) {
            var partitions = admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get()
                    .get(topic)
                    .partitions();
            long all = 0;
            for (var each : partitions) {
                var place = new org.apache.kafka.common.TopicPartition(topic, each.partition());
                all += admin.listOffsets(Map.of(place, org.apache.kafka.clients.admin.OffsetSpec.latest()))
                        .partitionResult(place)
                        .get()
                        .offset();
            }
            return all;
        } catch (java.util.concurrent.ExecutionException e) {
            return 0; // there is no such topic yet
        }
    }

    private static Map<String, String> settings(String queue) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        settings.put("tandem.kafka.bootstrap-servers", address);
        properties(SERVER).forEach((name, value) -> settings.put("tandem.kafka.properties." + name, value));
        settings.put("tandem.redis.uri", Brokers.redis().uri());
        settings.put("tandem.redis.namespace", UniqueNames.fresh("secure-kafka"));
        settings.put("tandem.queues." + queue + ".source", "kafka");
        settings.put("tandem.queues." + queue + ".partitions", "2");
        settings.put("tandem.queues." + queue + ".handler", "noop");
        settings.put("tandem.queues." + queue + ".events.enabled", "true");
        return settings;
    }
}
