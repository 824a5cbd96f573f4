package dev.tandem.server.handlers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.settings.HttpSettings;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestBodyTest {

    private final Map<String, String> headers = new TreeMap<>();

    @Test
    void binaryEventHasItsAttributesAsHeadersAndThePayloadAsItsBody() {
        assertThat(body(HttpSettings.Body.CLOUD_EVENT_BINARY, task("{\"a\":1}", "application/json", Map.of())))
                .isEqualTo("{\"a\":1}");
        assertThat(headers)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "Content-Type", "application/json",
                        "ce-specversion", "1.0",
                        "ce-id", "o-7",
                        "ce-source", "/tandem/orders",
                        "ce-type", "ship",
                        "ce-partitionkey", "%C3%84%20%22x%22%0D%0A"));
    }

    @Test
    void structuredEventIsJson() {
        assertThat(body(HttpSettings.Body.CLOUD_EVENT_STRUCTURED, task("{\"a\": 1e400}", "application/json", Map.of())))
                .isEqualTo("{\"specversion\":\"1.0\",\"id\":\"o-7\",\"source\":\"/tandem/orders\",\"type\":\"ship\","
                        + "\"datacontenttype\":\"application/json\",\"partitionkey\":\"Ä \\\"x\\\"\\r\\n\","
                        + "\"data\":{\"a\": 1e400}}");
        assertThat(headers).containsOnly(Map.entry("Content-Type", "application/cloudevents+json; charset=UTF-8"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            hello      | text/plain           | "data":"hello"
            {"a":1}    | application/x+json   | "data":{"a":1}
            {"a":1     | application/json     | "data_base64":"eyJhIjox"
            1} "x":{   | application/json     | "data_base64":"MX0gIng6ew=="
            """)
    void payloadIsDataIfItIsWhatItsTypeSays(String payload, String type, String member) {
        String expected = payload.startsWith("1}") ? "\"data_base64\":" : member;

        assertThat(body(HttpSettings.Body.CLOUD_EVENT_STRUCTURED, task(payload, type, Map.of())))
                .contains(expected)
                .endsWith("}");
    }

    @Test
    void taskThatIsAnEventKeepsItsAttributes() {
        PostedTask task = task(
                "{}",
                "application/json",
                Map.of(
                        "id",
                        "e-1",
                        "source",
                        "/shop",
                        "time",
                        "2026-11-24T10:00:00Z",
                        "bad\r\nname",
                        "x",
                        "data",
                        "x"));

        body(HttpSettings.Body.CLOUD_EVENT_BINARY, task);

        assertThat(headers)
                .containsEntry("ce-id", "e-1")
                .containsEntry("ce-source", "/shop")
                .containsEntry("ce-time", "2026-11-24T10:00:00Z")
                .containsEntry("ce-type", "ship")
                .doesNotContainKey("ce-data")
                .hasSize(7);
    }

    private String body(HttpSettings.Body form, PostedTask task) {
        return new String(new RequestBody(form, "/tandem/orders").of(task, headers), StandardCharsets.UTF_8);
    }

    private static PostedTask task(String payload, String type, Map<String, String> event) {
        return new PostedTask(
                "o-7",
                "orders",
                "ship",
                "Ä \"x\"\r\n",
                1,
                1,
                Map.of("content-type", type),
                event,
                payload.getBytes(StandardCharsets.UTF_8));
    }
}
