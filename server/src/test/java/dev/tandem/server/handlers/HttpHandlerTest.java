package dev.tandem.server.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tandem.api.RateLimitedException;
import dev.tandem.api.Result;
import dev.tandem.runtime.settings.HttpSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpHandlerTest {

    private static final Instant NOW = HttpCallsOfTests.NOW;

    private final Map<String, String> received = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final CountDownLatch released = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpCalls client = HttpCallsOfTests.create();
    private HttpServer server;
    private Answer answer = exchange -> respond(exchange, 200, "");

    private interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            calls.incrementAndGet();
            exchange.getRequestHeaders().forEach((name, values) -> received.put(name, values.get(0)));
            received.put("method", exchange.getRequestMethod());
            received.put("path", exchange.getRequestURI().toString());
            received.put("body", new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            answer.to(exchange);
        });
        server.start();
    }

    @AfterEach
    void stop() {
        released.countDown();
        client.close();
        server.stop(0);
        threads.shutdownNow();
    }

    @Test
    void taskIsPostedWithItsHeaders() throws Exception {
        Result result = handler()
                .handle(new FakeTask()
                        .id("Ä 1%/2")
                        .key("customer 7")
                        .header("content-type", "text/plain; charset=utf-8")
                        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                        .header("baggage", "tenant=t-1")
                        .header("x-other", "stays here"));

        assertThat(result).isEqualTo(Result.done());
        assertThat(received)
                .containsEntry("method", "POST")
                .containsEntry("path", "/orders?from=tandem")
                .containsEntry("body", "the payload")
                .containsEntry("Content-type", "text/plain; charset=utf-8")
                .containsEntry("Tandem-task-id", "%C3%84%201%25/2")
                .containsEntry("Tandem-queue", "orders")
                .containsEntry("Tandem-task-type", "http")
                .containsEntry("Tandem-task-key", "customer%207")
                .containsEntry("Baggage", "tenant=t-1")
                .containsEntry("Tandem-attempt", "3")
                .containsEntry("Tandem-fencing-token", "1763632800000001")
                .containsEntry("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .containsEntry("Authorization", "Bearer abc")
                .doesNotContainKey("X-other");
    }

    @Test
    void missingHeadersAreNotSentAndPayloadsAreJsonByDefault() throws Exception {
        handler().handle(new FakeTask().key(null));

        assertThat(received)
                .containsEntry("Content-type", "application/json")
                .doesNotContainKeys("Tandem-task-key", "Traceparent", "Tracestate");
    }

    @Test
    void malformedMessageHeadersAreNotSent() throws Exception {
        handler().handle(new FakeTask().header("content-type", "a\r\nb").header("traceparent", "\u0001"));

        assertThat(received).containsEntry("Content-type", "application/json").doesNotContainKey("Traceparent");
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 202, 204})
    void every2xxIsSuccess(int status) throws Exception {
        answer = exchange -> respond(exchange, status, "");

        assertThat(handler().handle(new FakeTask())).isEqualTo(Result.done());
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 400, 404, 429, 500, 503})
    void otherStatusIsAFailedAttempt(int status) {
        answer = exchange -> respond(exchange, status, "");

        assertThatThrownBy(() -> handler().handle(new FakeTask())).hasMessageStartingWith("HTTP status " + status);
    }

    @Test
    void redirectsAreNotFollowed() {
        answer = exchange -> {
            exchange.getResponseHeaders().set("Location", "/elsewhere");
            respond(exchange, 307, "");
        };

        assertThatThrownBy(() -> handler().handle(new FakeTask())).hasMessageContaining("redirects are not followed");
        assertThat(calls).hasValue(1);
    }

    @Test
    void statusInDeadOnMakesTheTaskDeadWithTheReason() throws Exception {
        answer = exchange -> respond(exchange, 410, "{\"error\":\n\"no such order\"}");

        assertThat(handler().handle(new FakeTask()))
                .isEqualTo(Result.dead("HTTP status 410\n{\"error\": \"no such order\"}"));
    }

    @ParameterizedTest
    @CsvSource({"429, 7, PT7S", "503, 'Fri, 20 Nov 2026 10:01:00 GMT', PT1M", "503, 0, PT0S"})
    void retryAfterSetsTheDelayOfTheNextAttempt(int status, String value, Duration delay) throws Exception {
        answer = exchange -> {
            exchange.getResponseHeaders().set("Retry-After", value);
            respond(exchange, status, "");
        };

        assertThat(handler().handle(new FakeTask())).isEqualTo(Result.again(delay, "HTTP status " + status));
    }

    @Test
    void retryAfterOn429SlowsDownTheRateLimitsOfTheQueue() {
        answer = exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "7");
            respond(exchange, 429, "");
        };

        assertThatThrownBy(() -> handler(true).handle(new FakeTask()))
                .isInstanceOfSatisfying(
                        RateLimitedException.class,
                        slow -> assertThat(slow.delay()).isEqualTo(Duration.ofSeconds(7)));
    }

    @Test
    void retryAfterIsIgnoredForOtherStatusesAndIfInvalid() {
        answer = exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "7");
            respond(exchange, 500, "");
        };
        assertThatThrownBy(() -> handler().handle(new FakeTask())).hasMessage("HTTP status 500");

        answer = exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "soon");
            respond(exchange, 503, "");
        };
        assertThatThrownBy(() -> handler().handle(new FakeTask())).hasMessage("HTTP status 503");
    }

    @Test
    void onlyTheBeginningOfALongResponseIsKept() {
        answer = exchange -> {
            exchange.sendResponseHeaders(500, 0);
            byte[] block = "x".repeat(10_000).getBytes(StandardCharsets.US_ASCII);
            try (var body = exchange.getResponseBody()) {
                for (int i = 0; i < 10_000; i++) {
                    body.write(block);
                }
            } catch (IOException e) {
                // The handler has read enough and cut the connection.
            }
        };

        Throwable failure = catchThrowable(() -> handler().handle(new FakeTask()));

        assertThat(failure).hasMessageStartingWith("HTTP status 500\nxxx");
        assertThat(failure.getMessage().length()).isLessThan(400);
    }

    @Test
    void slowResponseIsAbandonedAtTheDeadline() {
        answer = exchange -> await();

        assertThatThrownBy(() -> handler().handle(new FakeTask().deadline(NOW.plusMillis(50))))
                .isInstanceOf(HttpStatusException.class)
                .hasMessageStartingWith("the call of 127.0.0.1:")
                .hasMessageEndingWith(" failed: request timed out");
    }

    @Test
    void interruptEndsTheCall() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        answer = exchange -> {
            entered.countDown();
            await();
        };
        Throwable[] thrown = new Throwable[1];
        Thread worker =
                new Thread(() -> thrown[0] = catchThrowable(() -> handler().handle(new FakeTask())));
        worker.start();
        entered.await();

        worker.interrupt();
        worker.join();

        assertThat(thrown[0]).isInstanceOf(InterruptedException.class);
    }

    @Test
    void unreachableAddressIsAFailedAttemptThatNamesIt() {
        server.stop(0);

        assertThatThrownBy(() -> handler().handle(new FakeTask()))
                .hasToString("no connection to 127.0.0.1:" + server.getAddress().getPort());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            120                           | PT2M
            999999999999999999999         | PT24H
            Fri, 20 Nov 2026 09:00:00 GMT | PT0S
            Sun, 20 Nov 2050 10:00:00 GMT | PT24H
            -1                            |
            1.5                           |
            ''                            |
            """)
    void retryAfterIsParsedInBothForms(String value, Duration delay) {
        assertThat(RetryAfter.parse(value, NOW)).isEqualTo(Optional.ofNullable(delay));
    }

    private void await() {
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpHandler handler() {
        return handler(false);
    }

    private HttpHandler handler(boolean slowsDown) {
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/orders?from=tandem";
        return HttpCallsOfTests.handler(
                client,
                new HttpSettings(
                        url,
                        List.of(),
                        List.of(410, 422),
                        Map.of("Authorization", "Bearer abc"),
                        HttpSettings.Body.PAYLOAD,
                        HttpSettings.Answers.NOW,
                        Duration.ofSeconds(5),
                        List.of(),
                        null),
                HostResolver.SYSTEM,
                slowsDown);
    }

    private static void respond(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
