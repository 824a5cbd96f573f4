package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The forms in which commands print an answer: JSON and YAML for programs, narrow and wide tables for people. */
class OutputFormatTest {

    private static final String TASKS = "GET /api/v1/queues/orders/tasks?limit=50";

    private static JsonNode parsed(String yaml) {
        Object read = new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml);
        return ApiClient.JSON.readTree(ApiClient.JSON.writeValueAsString(read));
    }

    private static JsonNode json(String text) {
        return ApiClient.JSON.readTree(text);
    }

    @Test
    void yamlHasWhatJsonHas() {
        JsonNode answer = json("""
                {"name": "orders", "no": "no", "n": null, "empty": "", "time": "2026-11-20T10:00:00Z", "digits": "0123",
                 "lines": "one\\ntwo: three # four", "quotes": "it's \\"so\\" \\\\ ", "umlaut": "größe 😀", "on": true,
                 "deep": {"a": [1, [2, [], {}], {"b": [{"c": "- d"}]}]}, "list": [], "object": {}, "rate": 1.5,
                 "key: odd": "@3/1:17", "~": "~", "- x": "*a", "control": "\\u0001\\u2028"}
                """);
        assertThat(parsed(YamlText.of(answer))).isEqualTo(answer);
        assertThat(YamlText.of(json("[]"))).isEqualTo("[]\n");
        assertThat(YamlText.of(json("{\"a\": \"plain words\", \"b\": [{\"c\": 1}]}")))
                .isEqualTo("a: plain words\nb:\n- c: 1\n");
    }

    @Test
    void anyAnswerComesBackFromYaml() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            ObjectNode answer = ApiClient.JSON.createObjectNode();
            fill(answer, random, 3);
            assertThat(parsed(YamlText.of(answer))).as("seed " + seed).isEqualTo(answer);
        }
    }

    /** A megabyte at the bottom of 490 levels would be a gigabyte of blanks. */
    @Test
    void whatIsDeeplyNestedTakesNoMoreRoomInYaml() {
        String numbers = "1,".repeat(100_000) + "1";
        for (String deep : List.of(
                "[".repeat(480) + numbers + "]".repeat(480),
                "{\"a\":".repeat(480) + "[" + numbers + "]" + "}".repeat(480))) {
            JsonNode answer = json("{\"tasks\": [{\"payload\": " + deep + "}]}");

            String yaml = YamlText.of(answer);

            assertThat(yaml.length()).isLessThan(2 * deep.length());
            LoaderOptions options = new LoaderOptions();
            options.setNestingDepthLimit(500);
            Object read = new Yaml(new SafeConstructor(options)).load(yaml);
            assertThat(ApiClient.JSON.readTree(ApiClient.JSON.writeValueAsString(read)))
                    .isEqualTo(answer);
        }
    }

    @Test
    void noTerminalFindsAnythingToObeyInJsonOrYaml() {
        String odd = "a\u009b31mb\u007f\u0085\u202e\u2028c";
        try (PreparedServer server = new PreparedServer()) {
            server.answers.put(TASKS, "{\"tasks\": [{\"id\": \"" + odd + "\"}]}");
            for (String format : List.of("json", "yaml")) {
                String shown = "a\\u009b31mb\\u007f\\u0085\\u202e\\u2028c";
                assertThat(print(server, "tasks", "orders", "-o", format)).contains(shown);
            }
        }
        assertThat(json(ControlEscapes.of("\"" + odd + "\"")).asString()).isEqualTo(odd);
    }

    private static void fill(ObjectNode object, Random random, int depth) {
        for (int number = random.nextInt(4); number >= 0; number--) {
            String name = word(random);
            switch (random.nextInt(depth > 0 ? 5 : 3)) {
                case 0 -> object.put(name, random.nextInt(100));
                case 1 -> object.put(name, random.nextBoolean());
                case 2 -> object.put(name, word(random));
                case 3 -> fill(object.putObject(name), random, depth - 1);
                default -> {
                    ArrayNode list = object.putArray(name);
                    for (int each = random.nextInt(3); each > 0; each--) {
                        fill(list.addObject(), random, depth - 1);
                        list.add(word(random));
                    }
                }
            }
        }
    }

    private static String word(Random random) {
        String letters = "ab1:-# '\"\\{}[],&*!|>%@`?~.\n\tNOyesü\u0007";
        StringBuilder word = new StringBuilder();
        for (int length = random.nextInt(6); length > 0; length--) {
            word.append(letters.charAt(random.nextInt(letters.length())));
        }
        return word.toString();
    }

    @Test
    void everyListIsPrintedInEachForm() {
        try (PreparedServer server = new PreparedServer()) {
            server.answers.put(
                    TASKS,
                    "{\"tasks\": [{\"id\": \"a\", \"ref\": \"@0/1:1\", \"bytes\": 17, \"error\": \"" + "x".repeat(100)
                            + "\"}]}");
            assertThat(print(server, "tasks", "orders", "-o", "yaml"))
                    .startsWith("tasks:\n- id: a\n  ref: \"@0/1:1\"\n");
            assertThat(json(print(server, "tasks", "orders", "-o", "json")))
                    .isEqualTo(parsed(print(server, "tasks", "orders", "-o", "yaml")));
            assertThat(print(server, "tasks", "orders")).contains("x…").doesNotContain("@0/1:1");
            assertThat(print(server, "tasks", "orders", "-o", "wide"))
                    .contains("x".repeat(100), "@0/1:1", "BYTES")
                    .doesNotContain("…");
        }
    }

    @Test
    void aPayloadIsPartOfTheYaml() {
        try (PreparedServer server = new PreparedServer()) {
            server.answers.put("GET /api/v1/queues/orders/tasks/a", "{\"id\": \"a\", \"payload\": {\"total\":  1.10}}");
            assertThat(print(server, "tasks", "orders", "a", "-o", "yaml"))
                    .isEqualTo("id: a\npayload:\n  total: 1.10\n");
        }
    }

    @Test
    void allPagesAreOneDocument() {
        for (boolean yaml : List.of(true, false)) {
            StringWriter out = new StringWriter();
            DocumentPages pages = new DocumentPages(new PrintWriter(out), yaml);
            pages.add(json("{\"now\": 1, \"tasks\": [{\"id\": \"a\"}], \"next\": \"c\"}"));
            pages.add(json("{\"now\": 2, \"tasks\": [{\"id\": \"b\"}, {\"id\": \"c\"}]}"));
            pages.end();
            JsonNode all = yaml ? parsed(out.toString()) : json(out.toString());
            assertThat(all)
                    .isEqualTo(json("{\"now\": 1, \"tasks\": [{\"id\": \"a\"}, {\"id\": \"b\"}, {\"id\": \"c\"}]}"));
        }
        StringWriter odd = new StringWriter();
        DocumentPages one = new DocumentPages(new PrintWriter(odd), false);
        one.add(json("{\"tasks\": [\"\u009b\"]}"));
        one.end();
        assertThat(odd.toString()).contains("\"\\u009b\"");
        StringWriter none = new StringWriter();
        DocumentPages pages = new DocumentPages(new PrintWriter(none), true);
        pages.add(json("{\"tasks\": []}"));
        pages.end();
        assertThat(parsed(none.toString())).isEqualTo(json("{\"tasks\": []}"));
    }

    private static String print(PreparedServer server, String... line) {
        server.out.getBuffer().setLength(0);
        assertThat(server.run(line)).isZero();
        return server.out.toString();
    }
}
