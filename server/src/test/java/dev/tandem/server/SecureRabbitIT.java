package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalMode;
import dev.tandem.local.PortReservations;
import dev.tandem.rabbit.RabbitAccess;
import dev.tandem.rabbit.RabbitPublisher;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.TestCertificates;
import dev.tandem.testkit.TestCertificates.Issued;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server on a RabbitMQ with TLS, a private authority and certificates on both sides, as a user with a password in a file. */
class SecureRabbitIT {

    private static final String USER = "tandem-server";
    private static final String LOOSE = UniqueNames.fresh("secure");
    private static final String ORDERED = UniqueNames.fresh("secure");

    @TempDir
    private static Path folder;

    private static TestCertificates authority;
    private static Path password;
    private static int tlsPort;
    private static int managementPort;
    private static LocalAmqp rabbit;
    private static RecordingEndpoint endpoint;

    @BeforeAll
    static void start() throws IOException {
        authority = TestCertificates.authority(folder, "ca");
        password = Files.writeString(folder.resolve("password"), "first-secret\n");
        Issued broker = authority.issue("rabbit");
        tlsPort = PortReservations.reserve();
        managementPort = PortReservations.reserve();
        rabbit = Brokers.orSkip(() -> LocalAmqp.builder()
                .mode(LocalMode.PATH)
                .rabbitOnly()
                .setting("listeners.ssl.1", "127.0.0.1:" + tlsPort)
                .setting("ssl_options.cacertfile", authority.ca().toString())
                .setting("ssl_options.certfile", broker.certificate().toString())
                .setting("ssl_options.keyfile", broker.key().toString())
                .setting("ssl_options.verify", "verify_peer")
                .setting("ssl_options.fail_if_no_peer_cert", "true")
                .setting("management.ssl.ip", "127.0.0.1")
                .setting("management.ssl.port", Integer.toString(managementPort))
                .setting("management.ssl.cacertfile", authority.ca().toString())
                .setting("management.ssl.certfile", broker.certificate().toString())
                .setting("management.ssl.keyfile", broker.key().toString())
                .setting("default_user", USER)
                .setting("default_pass", "first-secret")
                .start());
        endpoint = new RecordingEndpoint();
    }

    @AfterAll
    static void stop() {
        if (endpoint != null) {
            endpoint.close();
        }
        if (rabbit != null) {
            rabbit.close();
        }
    }

    @Test
    void tasksRunAlsoAfterPasswordAndCertificateWereExchanged() throws IOException {
        Issued own = authority.issue("tandem");
        try (RunningServer server = RunningServer.healthy(settings(own))) {
            for (String queue : List.of(LOOSE, ORDERED)) {
                submit(server, queue, "first-of-" + queue);
                // The backlog has a connection of its own.
                assertThat(server.get("/api/v1/queues/" + queue)
                                .json()
                                .path("lag")
                                .isNumber())
                        .isTrue();
            }

            assertThatTheDoctorNamesAPolicy(server);

            rabbit.control("change_password", USER, "second-secret");
            Files.writeString(password, "second-secret\n");
            authority.issue("tandem");
            rabbit.control("close_all_user_connections", USER, "the password has changed");

            for (String queue : List.of(LOOSE, ORDERED)) {
                submit(server, queue, "second-of-" + queue);
            }
        } finally {
            rabbit.control("change_password", USER, "first-secret");
            Files.writeString(password, "first-secret\n");
        }
    }

    /** Only the management plugin tells of policies. */
    private static void assertThatTheDoctorNamesAPolicy(RunningServer server) {
        assertThat(server.get("/api/v1/doctor").body())
                .as("the plugin answers")
                .contains("rabbitmq-queues")
                .doesNotContain("rabbitmq-management");
        rabbit.control("set_policy", "cap", "^" + LOOSE + "$", "{\"max-length\":1000}", "--apply-to", "queues");
        try {
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(server.get("/api/v1/doctor").body()).contains("(policy cap)", "max-length"));
        } finally {
            rabbit.control("clear_policy", "cap");
        }
    }

    @Test
    void refusalsNameTheRemedy() {
        String uri = "amqps://" + USER + ":first-secret@localhost:" + tlsPort;
        assertRefused(RabbitSettings.of(uri, LOOSE), "tandem.rabbit.tls.ca-file");
        assertRefused(
                RabbitSettings.of(uri, LOOSE)
                        .withAccess(new RabbitAccess(
                                null,
                                () -> {
                                    throw new IllegalStateException("tandem.rabbit.password-file is x: it is empty");
                                },
                                null)),
                "tandem.rabbit.password-file is x: it is empty");
        assertRefused(
                RabbitSettings.of(rabbit.address().replace("guest:guest", USER + ":no-secret"), LOOSE),
                "check tandem.rabbit.username");
    }

    private static void assertRefused(RabbitSettings settings, String remedy) {
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings))) {
            Task task = Task.of(LOOSE, null, new byte[1]);
            assertThatThrownBy(() ->
                            publisher.publish(task).toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasMessageContaining(remedy)
                    .hasMessageNotContainingAny("first-secret", "no-secret");
        }
    }

    /** Submits a task and waits until it has run. A server that connects anew says 503 for a moment. */
    private static void submit(RunningServer server, String queue, String id) {
        String task = "{\"id\": \"%s\", \"key\": \"k\", \"payload\": 1}".formatted(id);
        await().atMost(PATIENCE)
                .until(() ->
                        server.post("/api/v1/queues/" + queue + "/tasks", task).status() == 202);
        await(id).atMost(PATIENCE).until(() -> !endpoint.calls(id).isEmpty());
    }

    private static Map<String, String> settings(Issued own) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        settings.put("tandem.rabbit.uri", "amqps://localhost:" + tlsPort);
        settings.put("tandem.rabbit.username", USER);
        settings.put("tandem.rabbit.password-file", password.toString());
        settings.put("tandem.rabbit.tls.ca-file", authority.ca().toString());
        settings.put("tandem.rabbit.tls.certificate-file", own.certificate().toString());
        settings.put("tandem.rabbit.tls.key-file", own.key().toString());
        settings.put("tandem.rabbit.management-uri", "https://localhost:" + managementPort);
        settings.put("tandem.redis.uri", Brokers.redis().uri());
        for (String queue : List.of(LOOSE, ORDERED)) {
            String at = "tandem.queues." + queue + ".";
            settings.put(at + "source", "rabbit");
            settings.put(at + "partitions", "2");
            settings.put(at + "handler", "http");
            settings.put(at + "http.url", endpoint.url());
            settings.put(at + "events.enabled", "true");
        }
        settings.put("tandem.queues." + ORDERED + ".ordering", "key");
        return settings;
    }
}
