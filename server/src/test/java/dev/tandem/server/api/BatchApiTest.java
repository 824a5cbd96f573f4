package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Role;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Publisher.InvalidTaskException;
import dev.tandem.task.Publisher.PublishedId;
import dev.tandem.task.Task;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import tools.jackson.databind.JsonNode;

/** Publishing streams of tasks over HTTP. */
class BatchApiTest extends ApiTestBase {

    private static final String PATH = "/api/v1/queues/orders/tasks/batch";

    private static JsonNode batch(String lines, int status) {
        return send("POST", PATH, "application/x-ndjson", lines, status);
    }

    @Test
    void everyLineIsATask() {
        JsonNode answer = batch("{\"id\": \"a\", \"payload\": {\"n\": 1}}\n{\"id\": \"b\"}\r\n\n{\"id\": \"c\"}", 202);

        assertThat(answer.path("lines").asInt()).isEqualTo(4);
        assertThat(answer.path("accepted").asInt()).isEqualTo(3);
        assertThat(answer.path("problems")).isEmpty();
        assertThat(PLATFORM.published.stream().map(Task::id)).containsExactly("a", "b", "c");
    }

    @Test
    void aBrokenLineDoesNotKeepTheOthersBack() {
        String tooLong = "{\"payloadText\": \"" + "x".repeat(200_000) + "\"}";
        JsonNode answer =
                batch("{\"id\": \"a\"}\n{\"id\"\n" + tooLong + "\n{\"delay\": \"soon\"}\n{\"id\": \"b\"}\n", 202);

        assertThat(answer.path("accepted").asInt()).isEqualTo(2);
        assertThat(answer.path("refused").asInt()).isEqualTo(3);
        assertThat(answer.path("problems")
                        .valueStream()
                        .map(each -> each.path("line").asInt() + " "
                                + each.path("type").asString() + " "
                                + each.at("/errors/0/pointer").asString("")))
                .containsExactly(
                        "2 urn:tandem:problem:invalid-body ",
                        "3 urn:tandem:problem:too-long ",
                        "4 urn:tandem:problem:invalid-task /delay");
        assertThat(PLATFORM.published.stream().map(Task::id)).containsExactly("a", "b");
    }

    @Test
    void aBatchMayBeLongerThanABody() {
        String lines = IntStream.range(0, 20_000)
                .mapToObj(i -> "{\"id\": \"" + i + "\", \"payloadText\": \"0123456789\"}")
                .collect(Collectors.joining("\n"));

        assertThat(batch(lines, 202).path("accepted").asInt()).isEqualTo(20_000);
    }

    @Test
    void aBatchEndsWhenTheBrokerTakesNoTasks() {
        PLATFORM.failure = new UnavailableException("Kafka does not answer");

        JsonNode problem = batch("{\"id\": \"a\"}\n".repeat(5_000), 503);

        assertThat(problem.path("type").asString()).endsWith(":not-confirmed");
        assertThat(problem.path("accepted").asInt()).isZero();
        assertThat(problem.path("lines").asInt()).isEqualTo(1);
        assertThat(problem.at("/problems/0/line").asInt()).isEqualTo(1);
        assertThat(problem.path("unconfirmed").asInt()).isEqualTo(1);
        assertThat(problem.path("refused").asInt()).isZero();
    }

    @Test
    void theAnswerIsBoundedHoweverMuchIsWrong() {
        String name = "/".repeat(100);
        String wrong = "{\"" + name + "\": 1}\n";

        JsonNode problem = batch(wrong.repeat(BatchSubmission.MAX_REFUSED), 400);

        assertThat(problem.path("refused").asInt()).isEqualTo(BatchSubmission.MAX_REFUSED);
        assertThat(problem.path("problems")).hasSize(BatchSubmission.MAX_REFUSED);
        assertThat(problem.at("/problems/0/detail").asString()).contains(name);
        assertThat(problem.at("/problems/999/line").asInt()).isEqualTo(1_000);
        assertThat(problem.at("/problems/999/type").asString()).endsWith(":invalid-body");
        assertThat(problem.at("/problems/999/detail").asString()).contains("no room");
        assertThat(problem.toString()).hasSizeLessThan(BatchSubmission.MAX_DESCRIBED + 1_000 * 200);
    }

    @Test
    void tasksThatTheirBrokerCanNeverTakeAreRefusedAndBounded() {
        PLATFORM.failure = new InvalidTaskException("The name of a header is too long");

        JsonNode problem = batch("{\"id\": \"a\"}\n".repeat(5_000), 400);

        assertThat(problem.path("refused").asInt()).isEqualTo(BatchSubmission.MAX_REFUSED);
        assertThat(problem.path("unconfirmed").asInt()).isZero();
    }

    @Test
    void noCallerHasAllPlaces() {
        CallerPlaces places = new CallerPlaces(3, 2);
        MockHttpServletRequest first = by("first");
        MockHttpServletRequest second = by("second");
        places.take(first, "batches");
        places.take(first, "batches");

        assertThatThrownBy(() -> places.take(first, "batches")).hasMessageContaining("2 batches of this caller");
        places.take(second, "batches");
        assertThatThrownBy(() -> places.take(second, "batches")).hasMessageContaining("3 batches already");
        places.leave(first);
        places.take(second, "batches");
        places.leave(first);
        places.take(first, "batches");
    }

    private static MockHttpServletRequest by(String token) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        Callers.set(request, new Caller("same name", Role.PUBLISHER, List.of(), token, Caller.By.TOKEN));
        return request;
    }

    @Test
    void whoeverSendsNoTasksIsSentAway() {
        JsonNode problem = batch("no task\n".repeat(5_000), 400);

        assertThat(problem.path("lines").asInt()).isEqualTo(BatchSubmission.MAX_REFUSED);
        assertThat(problem.path("remedy").asString()).contains("JSON on each line");
    }

    @Test
    void aLongNameOfAWrongLineIsNotAnsweredWhole() {
        JsonNode answer = batch("{\"" + "/".repeat(40_000) + "\": 1}\n", 202);

        assertThat(answer.at("/problems/0/detail").asString()).contains("There is no field '///");
        assertThat(answer.toString()).hasSizeLessThan(2_000);
    }

    @Test
    void aServerReadsNoFasterThanTheBrokerTakesTasks() throws Exception {
        CompletableFuture<PublishedId> slow = new CompletableFuture<>();
        BatchSubmission batch = new BatchSubmission(
                PLATFORM, (line, number) -> named(new String(line, StandardCharsets.UTF_8)), 10_000);
        PLATFORM.confirmed = slow;
        byte[] lines = bytes("x\n".repeat(3 * BatchSubmission.WINDOW));
        CompletableFuture<Void> end = CompletableFuture.runAsync(() -> run(batch, lines));

        await().until(() -> PLATFORM.publishedCount() == BatchSubmission.WINDOW);
        assertThat(batch.result("orders").accepted()).isZero();
        slow.complete(new PublishedId("x", "orders:0:1"));
        end.get();

        assertThat(batch.result("orders").accepted()).isEqualTo(3 * BatchSubmission.WINDOW);
    }

    @Test
    void tasksThatAreNotConfirmedInTimeAreNamed() throws Exception {
        BatchSubmission batch = new BatchSubmission(PLATFORM, (line, number) -> named("a"), 50);
        PLATFORM.confirmed = new CompletableFuture<>();

        run(batch, bytes("x\n".repeat(BatchSubmission.WINDOW + 5)));

        BatchViews.Batch result = batch.result("orders");
        assertThat(batch.hasBrokerFailed()).isTrue();
        assertThat(result.lines()).isEqualTo(BatchSubmission.WINDOW + 1);
        assertThat(result.problems()).hasSize(BatchSubmission.WINDOW + 1);
        assertThat(result.unconfirmed()).isEqualTo(BatchSubmission.WINDOW + 1);
        assertThat(result.refused()).isZero();
    }

    @Test
    void aFewTasksThatAreNotConfirmedInTimeAreNoSuccessEither() throws Exception {
        BatchSubmission batch = new BatchSubmission(PLATFORM, (line, number) -> named("a"), 50);
        PLATFORM.confirmed = new CompletableFuture<>();

        run(batch, bytes("x\nx\n"));

        assertThat(batch.hasBrokerFailed()).isTrue();
        assertThat(batch.result("orders").problems()).hasSize(2);
    }

    private static void run(BatchSubmission batch, byte[] lines) {
        try {
            batch.run(new LineReader(new ByteArrayInputStream(lines), 1_000));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aClientThatGoesAwayLeavesItsPlaceToOthers() throws Exception {
        for (int i = 0; i <= BatchController.MOST; i++) {
            int before = PLATFORM.publishedCount();
            try (Socket socket = new Socket("127.0.0.1", port)) {
                OutputStream out = socket.getOutputStream();
                out.write(bytes("POST " + PATH + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n"
                        + "Content-Type: application/x-ndjson\r\n\r\n{\"id\": \"a\"}\n{\"id\": \"half"));
                out.flush();
                await().until(() -> PLATFORM.publishedCount() == before + 1);
            }
        }
        await().untilAsserted(() -> assertThat(
                        batch("{\"id\": \"b\"}\n", 202).path("accepted").asInt())
                .isEqualTo(1));
        assertThat(PLATFORM.published.stream().map(Task::id))
                .doesNotContain("half")
                .contains("b");
    }

    @Test
    void linesAreCutAtTheirEndsWhereverThePiecesEnd() throws IOException {
        String text = "a\n\nbb\n" + "c".repeat(70_000) + "\nd";
        LineReader lines = new LineReader(new ByteArrayInputStream(bytes(text)), 5);

        assertThat(List.of(next(lines), next(lines), next(lines), next(lines))).containsExactly("a", "", "bb", "ccccc");
        assertThat(lines.isTooLong()).isTrue();
        assertThat(next(lines)).isEqualTo("d");
        assertThat(lines.isTooLong()).isFalse();
        assertThat(lines.next()).isNull();
    }

    private static String next(LineReader lines) throws IOException {
        byte[] line = lines.next();
        return new String(line == null ? new byte[0] : line, StandardCharsets.UTF_8);
    }
}
