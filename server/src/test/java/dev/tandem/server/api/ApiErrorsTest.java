package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.inspect.UnavailableException;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The form of errors, and refused requests. */
class ApiErrorsTest extends ApiTestBase {

    @Test
    void unavailableRedisOrBrokerIsReported() {
        PLATFORM.failure = new UnavailableException("Redis at redis://localhost:6379 can't be reached");

        assertThat(get("/api/v1/queues/orders/tasks?state=dead", 503)
                        .path("detail")
                        .asString())
                .startsWith("Redis at");
        assertThat(json("/api/v1/queues/orders/tasks", "{}", 503).path("remedy").asString())
                .contains("Send it again");
    }

    @Test
    void changeWithoutAnAnswerMayStillTakeEffect() {
        PLATFORM.failure = new UnavailableException("Redis is not available: it did not answer in time");

        for (String path : new String[] {"/pause", "/resume", "/keys/k/skip"}) {
            assertThat(post("/api/v1/queues/orders" + path, 503).path("remedy").asString())
                    .startsWith("It may still take effect; check with ./tandem ");
        }
        assertThat(get("/api/v1/queues/orders/tasks", 503).path("remedy").asString())
                .startsWith("Try again");
    }

    @Test
    void internalErrorRevealsNoDetails() {
        PLATFORM.failure = new IllegalStateException("secret");

        JsonNode problem = get("/api/v1/queues", 500);

        assertThat(problem.toString()).doesNotContain("secret").contains("log");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/nothing, 404",
        "GET, /nothing, 404",
        "DELETE, /api/v1/queues, 405",
        "POST, /api/v1/queues/orders/tasks/a, 405"
    })
    void everyErrorHasTheSameForm(String method, String path, int status) {
        JsonNode problem = send(method, path, null, null, status);

        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("title").asString()).isNotEmpty();
    }

    @Test
    void requestsFromOtherSitesAreRefused() throws IOException {
        send(
                HttpRequest.newBuilder(uri("/api/v1/queues/orders/pause"))
                        .header("Origin", "http://evil.example")
                        .POST(BodyPublishers.noBody()),
                403);
        send(HttpRequest.newBuilder(uri("/api/v1/queues")).header("Sec-Fetch-Site", "cross-site"), 403);
        send(HttpRequest.newBuilder(uri("/api/v1/queues")).header("Origin", "http://evil.example"), 403);
        assertThat(sendReboundRequest()).startsWith("HTTP/1.1 403");
        assertThat(PLATFORM.changes).isEmpty();
    }

    /** Sends a request by DNS rebinding. Uses a socket, because HttpClient does not send a foreign Host header. */
    private static String sendReboundRequest() throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream()
                    .write(bytes("GET /api/v1/queues HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            GET  | /api/v1/queues/orders/tasks?state=dead&partion=3 | partion | Use cursor, died-after, fingerprint, id, key, limit, partition, state, type
            GET  | /api/v1/queues?state=dead                        | state   | Leave it out: there are none
            POST | /api/v1/queues/orders/pause?for=5m               | for     | Use key, type
            GET  | /api/v1/queues/orders/keys?lim%69ts=1            | limits  | Use cursor, limit
            """)
    void unknownParameterIsRefusedByItsName(String method, String path, String name, String remedy) {
        JsonNode problem = send(method, path, null, null, 400);

        assertThat(problem.path("detail").asString()).isEqualTo("There is no parameter '" + name + "' here");
        assertThat(problem.path("remedy").asString()).isEqualTo(remedy);
        assertThat(PLATFORM.changes).isEmpty();
    }
}
