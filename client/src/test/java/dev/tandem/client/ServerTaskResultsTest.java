package dev.tandem.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskResultException;
import dev.tandem.api.TaskResultException.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Results over HTTP, from a server with prepared answers. */
class ServerTaskResultsTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private record Answer(int status, String body) {}

    private record Ref(String id) implements TaskRef<Object> {
        @Override
        public String queue() {
            return "orders";
        }

        @Override
        public CompletableFuture<TaskRef<Object>> accepted() {
            return CompletableFuture.completedFuture(this);
        }

        @Override
        public TaskRef<Object> await(Duration timeout) {
            return this;
        }
    }

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final Deque<Answer> answers = new ArrayDeque<>();
    private HttpServer http;
    private ServerTaskResults results;

    @BeforeEach
    void start() throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/", exchange -> {
            requests.add(exchange.getRequestURI().toString());
            authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            Answer answer = answers.size() > 1 ? answers.remove() : answers.element();
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status(), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        http.start();
        results = ServerTaskResults.of(
                URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/"));
    }

    @AfterEach
    void stop() {
        http.stop(0);
    }

    @Test
    void aResultIsReadAndTheServerIsAskedAgainUntilThere() throws Exception {
        answers.add(new Answer(503, "{\"detail\":\"The server stops\"}"));
        answers.add(new Answer(200, "{\"ended\":false,\"state\":\"active\"}"));
        answers.add(new Answer(200, "{\"ended\":true,\"state\":\"succeeded\",\"task\":{\"result\":{\"ship\":7}}}"));

        assertThat(results.await(new Ref("o/7 a"), Map.class, LONG)).isEqualTo(Map.of("ship", 7));
        assertThat(requests).hasSize(3).containsOnly("/api/v1/queues/orders/tasks/o%2F7%20a/end?timeout=30000ms");
        assertThat(results.await(new Ref("o-8"), Void.class, LONG)).isNull();
    }

    @Test
    void eachRequestHasTheTokenOfItsTime() throws Exception {
        answers.add(new Answer(200, "{\"ended\":true,\"state\":\"succeeded\",\"task\":{}}"));
        Deque<String> tokens = new ArrayDeque<>(List.of("old", "new"));
        ServerTaskResults withToken = results.withToken(tokens::remove);

        withToken.await(new Ref("o-1"), Void.class, LONG);
        withToken.await(new Ref("o-2"), Void.class, LONG);
        results.await(new Ref("o-3"), Void.class, LONG);

        assertThat(authorizations).containsExactly("Bearer old", "Bearer new", "null");
    }

    @ParameterizedTest
    @EnumSource(names = {"DEAD", "EXPIRED", "CANCELLED"})
    void otherEndsSayHowTheTaskEnded(Reason reason) {
        String state = reason.name().toLowerCase(java.util.Locale.ROOT);
        answers.add(new Answer(200, "{\"ended\":true,\"state\":\"" + state + "\",\"task\":{\"error\":\"no\\nmore\"}}"));
        assertReason(Map.class, LONG, reason, "has ended as " + state + ": no");
    }

    @Test
    void aResultThatIsNotKeptOrDoesNotFitIsSaidToBeSo() {
        answers.add(new Answer(200, "{\"ended\":true,\"state\":\"succeeded\",\"task\":{}}"));
        assertReason(Map.class, LONG, Reason.NOT_KEPT, "max-result-bytes of queue 'orders'");
        answers.clear();
        answers.add(new Answer(200, "{\"ended\":true,\"state\":\"succeeded\",\"task\":{\"result\":\"x\"}}"));
        assertReason(Integer.class, LONG, Reason.UNREADABLE, "cannot be read as java.lang.Integer");
    }

    @Test
    void aTaskThatDoesNotEndInTimeSaysWhetherTheServerCouldTell() {
        answers.add(new Answer(503, "{\"detail\":\"too many\"}"));
        assertReason(Map.class, Duration.ofMillis(300), Reason.NOT_IN_TIME, "status 503, too many");
        http.stop(0);
        assertReason(Map.class, Duration.ofMillis(300), Reason.NOT_IN_TIME, "could not say so");
    }

    @Test
    void aRequestThatTheServerRefusesIsNotRepeated() {
        answers.add(new Answer(404, "{\"detail\":\"There is no queue 'orders'\"}"));
        assertThatThrownBy(() -> results.await(new Ref("o-7"), Map.class, LONG))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("There is no queue 'orders'");
        assertThat(requests).hasSize(1);
    }

    @Test
    void anAddressThatIsNoneIsRefused() {
        assertThatThrownBy(() -> ServerTaskResults.of(URI.create("localhost:8080")))
                .hasMessageContaining("http://127.0.0.1:8080");
    }

    private void assertReason(Class<?> type, Duration timeout, Reason reason, String message) {
        assertThatThrownBy(() -> results.await(new Ref("o-7"), type, timeout))
                .isInstanceOfSatisfying(
                        TaskResultException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason))
                .hasMessageContaining(message);
    }
}
