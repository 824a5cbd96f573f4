package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.doctor.RabbitFacts.Management;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** What is asked of RabbitMQ's management plugin, with an answer that RabbitMQ 3.10.8 gave. */
class RabbitManagementTest {

    private static final String MAIL = """
            {"consumer_details":[],"arguments":{"x-dead-letter-exchange":"mail.dead-letter","x-delivery-limit":1000000,
             "x-queue-type":"quorum"},"auto_delete":false,"durable":true,"exclusive":false,
             "effective_policy_definition":{"delivery-limit":20,"max-length":1000},"name":"mail","operator_policy":null,
             "policy":"cap","state":"running","type":"quorum","vhost":"/"}
            """;

    private final List<String> requests = new ArrayList<>();
    private int status = 200;
    private HttpServer http;

    @BeforeEach
    void start() throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/", exchange -> {
            requests.add(exchange.getRequestURI().getRawPath() + " "
                    + new String(
                            Base64.getDecoder()
                                    .decode(exchange.getRequestHeaders()
                                            .getFirst("Authorization")
                                            .replace("Basic ", "")),
                            StandardCharsets.UTF_8));
            boolean known = exchange.getRequestURI().getPath().endsWith("/mail");
            byte[] answer = (known ? MAIL : "{\"error\":\"Object Not Found\"}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(known ? status : 404, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        http.start();
    }

    @AfterEach
    void stop() {
        http.stop(0);
    }

    private Management look(String management, String... queues) throws IOException {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of(
                                "tandem.rabbit.uri",
                                "amqp://me:my%20secret@rabbit:5672/a%2Fb",
                                "tandem.rabbit.management-uri",
                                management,
                                "tandem.queues.mail.source",
                                "rabbit",
                                "tandem.queues.mail.handler",
                                "noop")));
        TandemSettings settings = SettingsLoader.load(environment);
        return RabbitManagement.of(settings).orElseThrow().look(List.of(queues));
    }

    private String address(String userInfo) {
        return "http://" + userInfo + "127.0.0.1:" + http.getAddress().getPort() + "/";
    }

    @Test
    void argumentsAndPoliciesAreReadAsTheUserOfAmqp() throws IOException {
        Management said = look(address(""), "mail", "gone");
        assertThat(said.failure()).isNull();
        assertThat(said.queues()).singleElement().satisfies(mail -> {
            assertThat(mail.type()).isEqualTo("quorum");
            assertThat(mail.durable()).isTrue();
            assertThat(mail.policy()).isEqualTo("cap");
            assertThat(mail.effective()).containsEntry("max-length", 1_000L).containsEntry("delivery-limit", 20L);
            assertThat(mail.arguments()).containsEntry("x-delivery-limit", 1_000_000L);
        });
        assertThat(requests)
                .containsExactly("/api/queues/a%2Fb/mail me:my secret", "/api/queues/a%2Fb/gone me:my secret");
    }

    @Test
    void theAddressMayHaveAUserOfItsOwn() throws IOException {
        look(address("watcher:other@"), "mail");
        assertThat(requests).containsExactly("/api/queues/a%2Fb/mail watcher:other");
    }

    @Test
    void aRefusalIsSaidWithoutThePassword() throws IOException {
        status = 401;
        assertThat(look(address("watcher:other@"), "mail").failure())
                .contains("401")
                .doesNotContain("other");
    }
}
