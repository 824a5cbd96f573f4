package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.RunningServer.Answer;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.RedisClient;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** Requests with an Idempotency-Key, on real Kafka and Redis. */
@Execution(ExecutionMode.CONCURRENT)
class IdempotencyIT {

    private final String platform = UniqueNames.fresh("once");
    private final String tasks = "/api/v1/queues/" + platform + "/tasks";

    @Test
    void aRequestHappensOnceAlsoIfItsServerDiesBeforeTheAnswerIsKept() {
        try (RunningServer server = new RunningServer(Map.of(
                "server.port",
                "0",
                "tandem.kafka.bootstrap-servers",
                Brokers.kafka().bootstrapServers(),
                "tandem.redis.uri",
                Brokers.redis().uri(),
                "tandem.redis.namespace",
                platform,
                "tandem.queues." + platform + ".source",
                "kafka",
                "tandem.queues." + platform + ".partitions",
                "2",
                "tandem.queues." + platform + ".handler",
                "noop"))) {
            Answer first = submit(server, "", "{\"payload\": 1}");
            Answer batch = submit(server, "/batch", "{\"key\": \"a\"}\n{\"key\": \"b\"}\n");
            assertThat(submit(server, "", "{\"payload\": 1}")).isEqualTo(first);
            assertThat(submit(server, "/batch", "{\"key\": \"a\"}\n{\"key\": \"b\"}\n"))
                    .isEqualTo(batch);
            await().atMost(PATIENCE).until(() -> succeeded(server, false).size() == 3);
            assertThat(succeeded(server, true)).isEmpty();

            try (RedisClient redis = RedisClient.create(Brokers.redis().uri())) {
                redis.connect().sync().del(platform + ":{~requests}:entries", platform + ":{~requests}:ends");
            }
            assertThat(submit(server, "", "{\"payload\": 1}").json().path("id"))
                    .isEqualTo(first.json().path("id"));
            submit(server, "/batch", "{\"key\": \"a\"}\n{\"key\": \"b\"}\n");

            await().atMost(PATIENCE).until(() -> succeeded(server, true).equals(succeeded(server, false)));
        }
    }

    private Answer submit(RunningServer server, String route, String body) {
        Answer answer = server.send(HttpRequest.newBuilder(URI.create(server.url() + tasks + route))
                .header("Content-Type", route.isEmpty() ? "application/json" : "application/x-ndjson")
                .header("Idempotency-Key", "\"the same\"")
                .POST(BodyPublishers.ofString(body))
                .build());
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
        return answer;
    }

    /** Returns the ids of the tasks that ran, or of those of which a duplicate has ended. */
    private Set<String> succeeded(RunningServer server, boolean duplicates) {
        return server.get(tasks + "?state=succeeded&limit=100")
                .json()
                .path("tasks")
                .valueStream()
                .filter(task -> task.has("duplicateOf") == duplicates)
                .map((JsonNode task) ->
                        task.path(duplicates ? "duplicateOf" : "id").asString())
                .collect(Collectors.toSet());
    }
}
