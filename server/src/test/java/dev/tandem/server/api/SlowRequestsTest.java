package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Publisher.PublishedId;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** More slow or waiting requests than the server has threads do not keep it from saying that it lives. */
class SlowRequestsTest extends ApiTestBase {

    private static final int MANY = 70;
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static ConfigurableApplicationContext impatient;
    private static int shared;

    private final List<Socket> sockets = new ArrayList<>();

    /** Starts an API of its own. That of the other tests waits longer, since a busy machine may hold up their bodies. */
    @BeforeAll
    static void start() {
        shared = port;
        impatient = run("none", "--tandem.api.body-timeout=1s");
        port = port(impatient);
    }

    @AfterAll
    static void stop() {
        impatient.close();
        port = shared;
    }

    @AfterEach
    void closeSockets() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void tasksThatWaitForTheirBrokerHoldNoThread() {
        PLATFORM.confirmed = new CompletableFuture<>();
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            waiting.add(HTTP.sendAsync(
                    HttpRequest.newBuilder(uri("/api/v1/queues/orders/tasks"))
                            .header("Content-Type", "application/json")
                            .POST(BodyPublishers.ofString("{}"))
                            .build(),
                    BodyHandlers.ofString()));
            // One after the other: this is not about many at the same moment.
            int begun = i + 1;
            await().until(() -> PLATFORM.publishedCount() == begun);
        }
        assertLives();
        get("/api/v1/queues", 200);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);

        PLATFORM.confirmed.complete(new PublishedId("a", "orders:0:17"));
        assertThat(waiting)
                .allSatisfy(answer -> assertThat(answer.join().statusCode()).isEqualTo(202));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/queues/orders/tasks", "/actuator/health"})
    void bodiesThatDoNotArriveHoldAThreadForALimitedTime(String path) throws IOException {
        for (int i = 0; i < MANY; i++) {
            Socket socket = new Socket("127.0.0.1", port);
            sockets.add(socket);
            socket.getOutputStream()
                    .write(bytes("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
                            + "Content-Length: 1000\r\n\r\nx"));
        }
        assertLives();
        // They trickle on, so that no single read takes long.
        Duration limit = Duration.ofSeconds(20);
        await().pollInterval(Duration.ofMillis(50)).atMost(limit).until(() -> {
            for (Socket socket : sockets) {
                trickle(socket);
            }
            return get("/api/v1/queues/orders/tasks?state=dead") == 200;
        });
        assertLives();
        assertThat(PLATFORM.published).isEmpty();
        assertThat(PLATFORM.changes).isEmpty();
    }

    @Test
    void slowBodyIsRefusedWithTheReason() throws IOException {
        Socket socket = new Socket("127.0.0.1", port);
        sockets.add(socket);
        socket.getOutputStream()
                .write(bytes("POST /api/v1/queues/orders/tasks HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Type: text/plain\r\nContent-Length: 1000\r\n\r\nx"));
        await().pollInterval(Duration.ofMillis(100)).until(() -> {
            trickle(socket);
            return socket.getInputStream().available() > 0;
        });
        String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(answer).startsWith("HTTP/1.1 408").contains("tandem.api.body-timeout");
    }

    /** Without a bound such a batch would keep its place for ever, and there are four. */
    @Test
    void aSlowBatchIsRefusedAlsoIfItGoesOnWithEmptyLines() throws IOException {
        for (String key : List.of("", "Idempotency-Key: slow\r\n")) {
            Socket socket = new Socket("127.0.0.1", port);
            sockets.add(socket);
            socket.getOutputStream()
                    .write(bytes("POST /api/v1/queues/orders/tasks/batch HTTP/1.1\r\nHost: localhost\r\n" + key
                            + "Content-Type: application/x-ndjson\r\nContent-Length: 100000\r\n\r\n{\"id\": \"a\"}\n"));
            await().pollInterval(Duration.ofMillis(50)).until(() -> {
                write(socket, '\n');
                return socket.getInputStream().available() > 0;
            });
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer)
                    .startsWith("HTTP/1.1 408")
                    .contains("urn:tandem:problem:slow-body", "\"accepted\":1", "tandem.api.body-timeout (1 s)");
        }
    }

    @Test
    void aRequestOfAnotherSiteIsRefusedBeforeItsBodyArrives() throws IOException {
        // The answer to the last one shows that no thread waits for the bodies of those before it.
        for (int i = 0; i < MANY; i++) {
            Socket socket = new Socket("127.0.0.1", port);
            sockets.add(socket);
            socket.setSoTimeout((int) Duration.ofSeconds(20).toMillis());
            socket.getOutputStream()
                    .write(bytes("POST /api/v1/queues/orders/tasks HTTP/1.1\r\nHost: localhost\r\n"
                            + "Origin: http://evil.example\r\nContent-Type: text/plain\r\n"
                            + "Content-Length: 1000000\r\n\r\nx"));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).startsWith("HTTP/1.1 403").contains("another site");
        }
        assertThat(PLATFORM.published).isEmpty();
    }

    private static void trickle(Socket socket) {
        write(socket, 'x');
    }

    private static void write(Socket socket, char letter) {
        try {
            socket.getOutputStream().write(letter);
        } catch (IOException e) {
            // The server closed it.
        }
    }

    private static void assertLives() {
        assertThat(get("/actuator/health/liveness")).isEqualTo(200);
    }

    private static int get(String path) {
        try {
            return HTTP.send(
                            HttpRequest.newBuilder(uri(path))
                                    .timeout(Duration.ofSeconds(3))
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            throw new AssertionError("No answer from " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
