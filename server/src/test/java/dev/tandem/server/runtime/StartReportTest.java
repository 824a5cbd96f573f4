package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.settings.SettingsLoader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class StartReportTest {

    private final Map<String, Object> settings = new LinkedHashMap<>();

    private List<String> lines(@Nullable String executor) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", settings));
        return new StartReport(SettingsLoader.load(environment), environment, executor).lines(8080);
    }

    @Test
    void aStartSaysWhatTheServerIsAndWhatItsQueuesDo() {
        settings.put("server.address", "127.0.0.1");
        settings.put("tandem.redis.uri", "redis://user:secret@redis:6379");
        settings.put("tandem.queues.orders.source", "kafka");
        settings.put("tandem.queues.orders.handler", "http");
        settings.put("tandem.queues.orders.http.url", "http://shop/run?token=secret");
        settings.put("tandem.queues.mail.source", "rabbit");
        settings.put("tandem.queues.mail.handler", "log");
        settings.put("tandem.queues.mail.types", "a,b");

        List<String> lines = lines("web-1-4711-0a1b2c3d");

        assertThat(lines.get(0))
                .matches("Tandem \\S+ on Java \\S+, process \\d+\\. The API listens on http://127.0.0.1:8080");
        assertThat(lines)
                .contains(
                        "Executor web-1-4711-0a1b2c3d runs up to 256 tasks at once",
                        "Redis is redis://user:***@redis:6379, namespace tandem",
                        "Queue orders: Kafka topic orders at localhost:9092, group tandem.orders, ordering key, dead-head"
                                + " halt, handler http, up to 64 at once, timeout 30s, 8 attempts",
                        "Queue mail: RabbitMQ queue mail at amqp://guest:***@localhost:5672, exchange tandem, ordering"
                                + " none, handler log (also of the types a, b), up to 64 at once, timeout 30s, 8 attempts")
                .noneMatch(line -> line.contains("secret"));
    }

    @Test
    void aServerOfTheApiAloneSaysSo() {
        settings.put("tandem.queues.orders.source", "kafka");

        assertThat(lines(null)).contains("This server runs no tasks, because tandem.executor.enabled is false");
    }

    @Test
    void manyQueuesAreCounted() {
        for (int i = 0; i < StartReport.MAX_QUEUES + 7; i++) {
            settings.put("tandem.queues.q" + i + ".source", "kafka");
        }

        assertThat(lines("a"))
                .hasSize(StartReport.MAX_QUEUES + 4)
                .last()
                .isEqualTo("There are 7 more queues. 'tandem queues' lists all of them");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            127.0.0.1 |      | The API listens on http://127.0.0.1:8080
            ::1       | b    | The API listens on https://[::1]:8080
                      |      | The API listens on every address, port 8080 (http)
            """)
    void theAddressIsWhereTheApiIs(@Nullable String address, @Nullable String bundle, String text) {
        Map<String, @Nullable String> given = new LinkedHashMap<>();
        given.put("server.address", address);
        given.put("server.ssl.bundle", bundle);

        assertThat(StartReport.address(given::get, 8080)).isEqualTo(text);
    }
}
