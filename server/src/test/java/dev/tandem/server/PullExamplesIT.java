package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.Programs;
import dev.tandem.testkit.UniqueNames;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The workers in other languages under {@code examples/}, each with a queue of its own. */
@Execution(ExecutionMode.CONCURRENT)
class PullExamplesIT {

    private static final Path EXAMPLES = DocumentedBlocks.root().resolve("examples");
    private static final int TASKS = 12;
    private static final int KEYS = 3;

    private static final Map<String, String> QUEUES = Map.of(
            "python", UniqueNames.fresh("python"),
            "node", UniqueNames.fresh("node"),
            "php", UniqueNames.fresh("php"),
            "go", UniqueNames.fresh("go"));

    private static RunningServer server;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        Map<String, String> settings = RunningServer.settings("kafka");
        QUEUES.values().forEach(queue -> {
            String at = "tandem.queues." + queue + ".";
            settings.put(at + "source", "kafka");
            settings.put(at + "partitions", "2");
            settings.put(at + "handler", "pull");
            settings.put(at + "backoff.initial", "20ms");
        });
        server = RunningServer.healthy(settings);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void python() {
        assertWorks("python", List.of("python3", EXAMPLES + "/python/pull_worker.py"));
    }

    @Test
    void node() {
        assertWorks("node", List.of("node", EXAMPLES + "/node/pull-worker.js"));
    }

    @Test
    void php() {
        assertWorks("php", List.of("php", EXAMPLES + "/php/pull_worker.php"));
    }

    @Test
    void go() {
        Programs.require("go");
        Path worker = folder.resolve("pull-worker");
        String build = "cd '" + EXAMPLES + "/go' && go build -o '" + worker + "' .";
        Programs.Result built = Programs.run(List.of("sh", "-c", build), "");
        assertThat(built.status()).as(built.output()).isZero();
        assertWorks("go", List.of(worker.toString()));
    }

    /** Lets a worker run twelve tasks in the order of their keys, one that fails once, and one that cannot succeed. */
    private static void assertWorks(String language, List<String> program) {
        Programs.require(program.get(0).contains("/") ? language : program.get(0));
        String queue = QUEUES.get(language);
        for (int i = 0; i < TASKS; i++) {
            submit(
                    queue,
                    "c-" + i % KEYS,
                    "{\"order\": \"o-" + i + "\"" + (i == KEYS ? ", \"flaky\": true" : "") + "}");
        }
        submit(queue, "hopeless", "{}");
        List<String> words = new ArrayList<>(program);
        words.addAll(List.of(server.url(), queue, "--until-idle"));

        String output = outputUntilAllHaveEnded(queue, words);

        for (int key = 0; key < KEYS; key++) {
            List<String> inOrder = new ArrayList<>();
            for (int i = key; i < TASKS; i += KEYS) {
                inOrder.add("done c-" + key + " o-" + i);
            }
            String start = "done c-" + key + " ";
            assertThat(output.lines().filter(line -> line.startsWith(start)))
                    .as(output)
                    .containsExactlyElementsOf(inOrder);
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(server.get("/api/v1/queues/" + queue)
                                .json()
                                .path("counts")
                                .toString())
                        .contains("\"succeeded\":" + TASKS, "\"dead\":1", "\"active\":0"));
    }

    /** A worker ends if nothing came for two seconds, as it may on a busy machine. Then another one goes on. */
    private static String outputUntilAllHaveEnded(String queue, List<String> words) {
        StringBuilder output = new StringBuilder();
        await().atMost(PATIENCE).until(() -> {
            Programs.Result result = Programs.run(words, "");
            assertThat(result.status()).as(result.output()).isZero();
            output.append(result.output());
            return hasEndedAll(queue);
        });
        return output.toString();
    }

    private static boolean hasEndedAll(String queue) {
        String counts =
                server.get("/api/v1/queues/" + queue).json().path("counts").toString();
        return counts.contains("\"succeeded\":" + TASKS) && counts.contains("\"dead\":1");
    }

    private static void submit(String queue, String key, String payload) {
        String task = "{\"key\": \"" + key + "\", \"payload\": " + payload + "}";
        assertThat(server.post("/api/v1/queues/" + queue + "/tasks", task).status())
                .isEqualTo(202);
    }
}
