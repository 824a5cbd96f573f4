package dev.tandem.task;

import static dev.tandem.task.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.TaskHeaders.Read;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StructuredEventTest {

    private static final String EVENT = """
            {"specversion": "1.0", "id": "e-1", "source": "/shop", "type": "ship", "time": "2026-11-23T10:00:00Z",
             "partitionkey": "c-7", "sequence": 12, "sampled": true, "subject": null,
             "data" : {"order": "o-7",  "items": 2.50, "note": "\\u00e9\\n"} }
            """;

    private static final String DATA = "{\"order\": \"o-7\",  \"items\": 2.50, \"note\": \"\\u00e9\\n\"}";

    private final TaskHeaders kafka = new TaskHeaders("orders", Binding.KAFKA, 10_000);
    private final TaskHeaders amqp = new TaskHeaders("orders", Binding.AMQP, 10_000);

    private static String payload(Task task) {
        return new String(task.payload(), StandardCharsets.UTF_8);
    }

    private Read read(String contentType, String body, Field... more) {
        List<Field> fields = new ArrayList<>(List.of(more));
        fields.add(Field.of("content-type", contentType));
        return kafka.read(fields, new Origin(null, null, null, null, 1, 1), bytes(body));
    }

    private Read read(String body) {
        return read("application/cloudevents+json", body);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/cloudevents+json",
                "application/cloudevents+json; charset=UTF-8",
                "Application/CloudEvents+JSON"
            })
    void itsDataIsThePayloadAndItsAttributesAreThoseOfBinaryMode(String contentType) {
        Read read = read(contentType, EVENT, Field.of("x-tenant", "acme"));

        assertThat(read.unreadable()).isNull();
        Task task = read.task();
        assertThat(List.of(task.id(), task.type(), task.key())).containsExactly("e-1", "ship", "c-7");
        assertThat(payload(task)).as("byte for byte").isEqualTo(DATA);
        assertThat(task.headers())
                .containsOnly(
                        Map.entry("ce_specversion", "1.0"),
                        Map.entry("ce_id", "e-1"),
                        Map.entry("ce_source", "/shop"),
                        Map.entry("ce_type", "ship"),
                        Map.entry("ce_time", "2026-11-23T10:00:00Z"),
                        Map.entry("ce_partitionkey", "c-7"),
                        Map.entry("ce_sequence", "12"),
                        Map.entry("ce_sampled", "true"),
                        Map.entry("content-type", "application/json"),
                        Map.entry("x-tenant", "acme"));
    }

    @Test
    void onAmqpTheContentTypeIsTheProperty() {
        Origin origin = new Origin(null, "m-1", "amqp-type", "application/cloudevents+json", 1, 1);
        Task task = amqp.read(List.of(), origin, bytes(EVENT)).task();

        assertThat(List.of(task.id(), task.type(), task.key())).containsExactly("e-1", "ship", "c-7");
        assertThat(payload(task)).isEqualTo(DATA);
        assertThat(task.headers())
                .containsEntry("cloudEvents:source", "/shop")
                .containsEntry("content-type", "application/json");
    }

    @Test
    void tandemHeadersPrecedeTheEvent() {
        Task task = read(
                        "application/cloudevents+json",
                        EVENT,
                        Field.of("tandem-type", "own"),
                        Field.of("ce_id", "other"))
                .task();

        assertThat(task.type()).isEqualTo("own");
        assertThat(task.id()).isEqualTo("e-1");
        assertThat(task.headers()).doesNotContainKey("ce_id#1");
    }

    @Test
    void itIsTheSameWhenItsHeadersAreWrittenAndReadAgain() {
        Task task = read(EVENT).task();
        List<Field> written = new ArrayList<>();
        TaskHeaders.write(task, (name, value) -> written.add(new Field(name, value)));

        assertThat(kafka.read(written, new Origin(null, null, null, null, 1, 1), task.payload())
                        .task())
                .usingRecursiveComparison()
                .isEqualTo(task);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "'\"data\": \"text\"'                                              | '\"text\"'",
                "'\"data\": \"text\", \"datacontenttype\": \"text/plain\"'         | text",
                "'\"data\": \"a\\n\\u00e9\", \"datacontenttype\": \"text/xml\"'    | 'a\né'",
                "'\"data\": \"x\", \"datacontenttype\": \"application/a+json\"'    | '\"x\"'",
                "'\"data\": -1.5e3'                                                | -1.5e3",
                "'\"data\": [1, {\"a\": []} ]'                                     | '[1, {\"a\": []} ]'",
                "'\"data\": false'                                                 | false",
                "'\"data\": null'                                                  | ''",
                "'\"datacontenttype\": \"text/plain\"'                             | ''",
                "'\"data_base64\": \"aGk=\"'                                       | hi",
                "'\"data_base64\": \"aGk=\", \"data\": null'                       | hi",
            })
    void dataMayHaveAnyForm(String members, String expected) {
        Read read = read("{\"specversion\":\"1.0\"," + members + "}");

        assertThat(read.unreadable()).isNull();
        assertThat(payload(read.task())).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "''                                                         | it ends too early",
                "'{\"specversion\":\"1.0\"'                                 | it ends too early",
                "'[]'                                                       | no JSON object at its character 1",
                "'{\"specversion\":\"1.0\"} x'                              | no JSON object at its character 23",
                "'{\"specversion\":\"1.0\",}'                               | no JSON object at its character",
                "'{\"specversion\":\"1.0\",\"data\":01}'                    | no JSON object at its character",
                "'{\"specversion\":\"1.0\",\"data\":tru}'                   | no JSON object at its character",
                "'{\"specversion\":\"1.0\",\"data\":\"\\x\"}'               | no JSON object at its character",
                "'{\"id\":\"e-1\"}'                                         | its specversion is missing",
                "'{\"specversion\":1}'                                      | its specversion is 1: it must be \"1.0\"",
                "'{\"specversion\":\"0.3\"}'                                | its specversion is \"0.3\"",
                "'{\"specversion\":\"1.0\",\"id\":{}}'                      | its attribute id is {}: use a text",
                "'{\"specversion\":\"1.0\",\"data\":1,\"data_base64\":\"\"}'| it has data and data_base64",
                "'{\"specversion\":\"1.0\",\"data_base64\":\"%\"}'          | its data_base64 is no text in base64",
                "'{\"specversion\":\"1.0\",\"data_base64\":7}'              | its data_base64 is no text in base64",
            })
    void aBadEventIsKeptWholeWithTheReason(String body, String reason) {
        Read read = read("application/cloudevents+json", body, Field.of("tandem-key", "k"));

        assertThat(read.unreadable())
                .startsWith(
                        "the body is not the CloudEvent that its content type 'application/cloudevents+json' says: ")
                .contains(reason);
        assertThat(payload(read.task())).isEqualTo(body);
        assertThat(read.task().key()).isEqualTo("k");
        assertThat(read.task().headers()).containsEntry("content-type", "application/cloudevents+json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/cloudevents-batch+json", "application/cloudevents+avro"})
    void otherFormatsAreRefused(String contentType) {
        assertThat(read(contentType, EVENT).unreadable())
                .contains("'" + contentType + "'", "cannot be read: use application/cloudevents+json");
    }

    @Test
    void itsAttributesObeyTheLimitsOfHeaders() {
        String wide = "{\"specversion\":\"1.0\",\"id\":\"" + "x".repeat(600) + "\"}";
        StringBuilder many = new StringBuilder("{\"specversion\":\"1.0\"");
        for (int i = 0; i < 300; i++) {
            many.append(",\"a").append(i).append("\":1");
        }

        assertThat(read(wide).unreadable()).startsWith("header 'ce_id' has the value");
        assertThat(read(wide).task().headers()).containsOnlyKeys("content-type");
        assertThat(read(many + "}").unreadable()).contains("302 headers");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"id\":\"\\ud800\"",
                "\"partitionkey\":\"a\\udc00b\"",
                "\"a\\ud800\":\"x\"",
                "\"datacontenttype\":\"text/plain\",\"data\":\"\\ud83dx\"",
            })
    void halfOfASurrogatePairIsRefusedAndNotReplaced(String members) {
        Read read = read("{\"specversion\":\"1.0\"," + members + "}");

        assertThat(read.unreadable()).contains("half of a surrogate pair");
        assertThat(read("{\"specversion\":\"1.0\",\"id\":\"\\ud83d\\ude00\",\"data\":\"\\ud800\"}")
                        .unreadable())
                .as("a whole pair, and JSON as it was written")
                .isNull();
    }

    @Test
    void deepNestingIsRefused() {
        String deep = "{\"specversion\":\"1.0\",\"data\":" + "[".repeat(3_000) + "]".repeat(3_000) + "}";

        assertThat(read(deep).unreadable()).contains("nested in more than");
    }

    @Test
    void bytesThatAreNoUtf8AreRefused() {
        Read read = kafka.read(
                List.of(Field.of("content-type", "application/cloudevents+json")),
                new Origin(null, null, null, null, 1, 1),
                new byte[] {'{', (byte) 0xff, '}'});

        assertThat(read.unreadable()).contains("it is not UTF-8");
    }

    /** Checks that reading never throws, whatever is done to an event, and that what cannot be read is kept as it is. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void readingNeverThrows(long seed) {
        Random random = new Random(seed);
        String pieces = "{}[]\",:\\u0e1-. tfn\0é";
        for (int i = 0; i < 5_000; i++) {
            StringBuilder text = new StringBuilder(EVENT);
            for (int n = 1 + random.nextInt(4); n > 0 && !text.isEmpty(); n--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(3)) {
                    case 0 -> text.deleteCharAt(at);
                    case 1 -> text.setLength(at + 1);
                    default -> text.insert(at, pieces.charAt(random.nextInt(pieces.length())));
                }
            }
            Read read = read(text.toString());
            if (read.unreadable() != null) {
                assertThat(payload(read.task())).isEqualTo(text.toString());
            }
        }
    }
}
