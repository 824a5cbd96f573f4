package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Editors complete settings from these files. */
class SettingsMetadataTest {

    @Test
    void theSettingsAreDescribed() throws IOException {
        Map<String, JsonNode> described = new HashMap<>();
        for (String file : new String[] {
            "META-INF/spring-configuration-metadata.json", "META-INF/additional-spring-configuration-metadata.json"
        }) {
            for (URL each : Collections.list(getClass().getClassLoader().getResources(file))) {
                try (InputStream in = each.openStream()) {
                    for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
                        described.put(property.path("name").asString(), property);
                    }
                }
            }
        }

        assertThat(described)
                .containsKeys(
                        "tandem.enabled",
                        "tandem.kafka.bootstrap-servers",
                        "tandem.rabbit.uri",
                        "tandem.redis.uri",
                        "tandem.executor.drain-timeout",
                        "tandem.tracing.mode",
                        "tandem.outbox.enabled",
                        "tandem.outbox.relay",
                        "tandem.queues");
        assertThat(described
                        .get("tandem.executor.drain-timeout")
                        .path("description")
                        .asString())
                .isNotEmpty();
        assertThat(described.get("tandem.queues").path("type").asString()).contains("QueueSettings");
    }
}
