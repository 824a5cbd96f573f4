package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.RunningServer.Answer;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A server with a login and queues whose tasks are posted to an endpoint, for the tests of the console. */
final class ConsoleServer implements AutoCloseable {

    /** A queue that keeps the tasks of a key in order. */
    static final String QUEUE = UniqueNames.fresh("console");

    /** A queue without order, in which many tasks of a key can be dead. */
    static final String PLAIN = UniqueNames.fresh("console");

    private final RecordingEndpoint endpoint;
    private final RunningServer server;
    private final String token;

    /** Starts it, and waits until it takes tasks. */
    ConsoleServer() {
        try {
            endpoint = new RecordingEndpoint();
            Path file = Files.createTempDirectory("console").resolve("token");
            server = new RunningServer(settings(file));
            await().atMost(PATIENCE).until(() -> Files.exists(file));
            token = Files.readString(file).strip();
            Files.delete(file);
            Files.delete(file.getParent());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await().atMost(PATIENCE).until(() -> submit(QUEUE, "begin", null, "") == 202);
    }

    private Map<String, String> settings(Path file) {
        Map<String, String> settings = RunningServer.settings("rabbit");
        settings.put("tandem.api.login", "required");
        settings.put("tandem.api.token-file", file.toString());
        settings.put("tandem.redis.namespace", UniqueNames.fresh("console"));
        Map.of(QUEUE, "key", PLAIN, "none").forEach((name, ordering) -> {
            String queue = "tandem.queues." + name + ".";
            settings.put(queue + "source", "rabbit");
            settings.put(queue + "partitions", "1");
            settings.put(queue + "ordering", ordering);
            settings.put(queue + "handler", "http");
            settings.put(queue + "http.url", endpoint.url());
            settings.put(queue + "http.dead-on", "410");
            settings.put(queue + "breaker.enabled", "false");
            settings.put(queue + "max-running", "50");
        });
        return settings;
    }

    RunningServer server() {
        return server;
    }

    RecordingEndpoint endpoint() {
        return endpoint;
    }

    /** Returns the token of an administrator. */
    String token() {
        return token;
    }

    /** Makes a token with another role, and returns it. */
    String newToken(String role) {
        Answer made = api("POST", "tokens?name=" + role + "&role=" + role, "");
        assertThat(made.status()).isEqualTo(201);
        return made.json().path("token").asString();
    }

    /** Calls the API. @param json empty for no body */
    Answer api(String method, String path, String json) {
        return server.send(HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/" + path))
                .header("Authorization", "Bearer " + token)
                .method(method, json.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(json))
                .header("Content-Type", "application/json")
                .build());
    }

    /** Publishes a task. @param key null for none @param more further fields, each behind a comma */
    void publish(String queue, String id, String key, String more) {
        assertThat(submit(queue, id, key, more)).isEqualTo(202);
    }

    private int submit(String queue, String id, String key, String more) {
        String json = "{\"payload\":{\"n\":1},\"id\":\"" + id + "\"" + (key == null ? "" : ",\"key\":\"" + key + "\"")
                + more + "}";
        return api("POST", "queues/" + queue + "/tasks", json).status();
    }

    /** Publishes tasks of a key to the queue without an order, all of which die at once, and waits until they are dead. */
    void publishDead(String key, String... ids) {
        for (String id : ids) {
            endpoint.reply(id, 410, null);
            publish(PLAIN, id, key, "");
        }
        for (String id : ids) {
            awaitState(PLAIN, id, "dead");
        }
    }

    void awaitState(String queue, String id, String state) {
        await().atMost(PATIENCE)
                .until(() -> api("GET", "queues/" + queue + "/tasks/" + id, "")
                        .json()
                        .path("state")
                        .asString("")
                        .equals(state));
    }

    @Override
    public void close() {
        server.close();
        endpoint.close();
    }
}
