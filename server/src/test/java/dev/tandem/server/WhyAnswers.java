package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.task.UrlText;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Asks a server why keys and tasks do not move, and publishes tasks by it. */
record WhyAnswers(RunningServer asked) {

    static final Duration PATIENCE = Brokers.PATIENCE;

    JsonNode ofKey(String queue, String key) {
        return asked.get("/api/v1/queues/" + queue + "/keys/" + UrlText.pathSegment(key) + "/why")
                .json();
    }

    JsonNode ofTask(String queue, String id) {
        return asked.get("/api/v1/queues/" + queue + "/tasks/" + UrlText.pathSegment(id) + "/why")
                .json();
    }

    static String cause(JsonNode answer) {
        return answer.path("cause").asString("");
    }

    /** Waits until this is the cause, and returns the text of that answer. */
    String awaitKey(String queue, String key, String cause) {
        return awaitCause(cause, () -> ofKey(queue, key));
    }

    /** Waits likewise. */
    String awaitTask(String queue, String id, String cause) {
        return awaitCause(cause, () -> ofTask(queue, id));
    }

    private interface Question {
        JsonNode ask();
    }

    private static String awaitCause(String cause, Question question) {
        JsonNode[] last = new JsonNode[1];
        await(cause).atMost(PATIENCE).untilAsserted(() -> {
            last[0] = question.ask();
            assertThat(cause(last[0])).as(last[0].toString()).isEqualTo(cause);
        });
        return last[0].path("text").asString();
    }

    void awaitBehind(String queue, String key, int count) {
        await().atMost(PATIENCE).until(() -> ofKey(queue, key).path("behind").asInt() == count);
    }

    /** Publishes until a task waits, and returns its id: an executor may hear of a pause seconds after it began. */
    String publishUntilPaused(String queue, @Nullable String key, @Nullable String type) {
        String[] published = new String[1];
        await("a task waits for the end of the pause")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> {
                    if (published[0] != null
                            && cause(ofTask(queue, published[0])).equals("paused")) {
                        return true;
                    }
                    published[0] = UniqueNames.fresh("paused");
                    publish(queue, published[0], key, type, 0);
                    return false;
                });
        return published[0];
    }

    void publish(String queue, String id, @Nullable String key) {
        publish(queue, id, key, null, 0);
    }

    void publish(String queue, String id, @Nullable String key, @Nullable String type, long notBefore) {
        Task task = new Task(id, queue, type, key, new byte[] {'1'}, Map.of(), 0, notBefore, 0, 0, null);
        asked.bean("publisher", Publisher.class)
                .publish(task)
                .toCompletableFuture()
                .join();
    }
}
