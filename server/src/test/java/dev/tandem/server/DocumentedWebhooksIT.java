package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.ByteArrayResource;

/** The webhooks of docs/events.md, with the settings that stand there. */
class DocumentedWebhooksIT {

    @ParameterizedTest
    @CsvSource({"orders,order-webhooks", "mails,mail-webhooks"})
    void eachEventIsPostedAndComesAgainAfterAFailure(String documented, String webhooks) throws Exception {
        String queue = UniqueNames.fresh(documented);
        String key = UniqueNames.fresh("customer");
        try (RecordingEndpoint endpoint = new RecordingEndpoint()) {
            endpoint.replyFirst(key, 500);
            Map<String, String> settings = documented(documented, webhooks, queue, endpoint.url());
            assertThat(settings).containsEntry("tandem.queues." + queue + ".events.enabled", "true");
            try (RunningServer server = RunningServer.healthy(settings)) {
                await().atMost(PATIENCE)
                        .until(() -> server.post(
                                                "/api/v1/queues/" + queue + "/tasks",
                                                "{\"id\": \"one\", \"key\": \"" + key + "\", \"payload\": 1}")
                                        .status()
                                == 202);

                await().atMost(PATIENCE)
                        .until(() -> endpoint.callsOfKey(key).stream().anyMatch(call -> call.attempt() == 2));
            }
            List<RecordingEndpoint.Call> calls = endpoint.callsOfKey(key);
            assertThat(calls).allSatisfy(call -> {
                assertThat(call.type()).isEqualTo("dev.tandem.task.succeeded");
                assertThat(call.body())
                        .contains("\"kind\":\"succeeded\"", "\"queue\":\"" + queue + "\"", "\"id\":\"one\"")
                        .doesNotContain("payload");
            });
            // An event may come twice, with one id.
            assertThat(calls)
                    .extracting(RecordingEndpoint.Call::id)
                    .containsOnly(calls.get(0).id());
            assertThat(calls.get(0).id()).contains("/succeeded/");
        }
    }

    /** Returns the settings of the block with this queue, with names and an address of this test. */
    private static Map<String, String> documented(String documented, String webhooks, String queue, String url)
            throws IOException {
        String block = block("    " + webhooks + ":")
                .replace("http://localhost:9000/hooks/" + documented, url)
                .replace(webhooks, queue + "-webhooks")
                .replaceAll("\\b" + documented + "\\b", queue);
        Map<String, String> settings = new LinkedHashMap<>();
        new YamlPropertySourceLoader()
                .load("block", new ByteArrayResource(block.getBytes(StandardCharsets.UTF_8)))
                .forEach(source -> {
                    for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                        settings.put(name, String.valueOf(source.getProperty(name)));
                    }
                });
        settings.put("server.port", "0");
        settings.put("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
        settings.put("tandem.rabbit.uri", Brokers.rabbit().uri());
        settings.put("tandem.redis.uri", Brokers.redis().uri());
        return settings;
    }

    private static String block(String part) {
        return DocumentedBlocks.texts("docs/events.md", "yaml").stream()
                .filter(block -> block.contains(part))
                .findFirst()
                .orElseThrow();
    }
}
