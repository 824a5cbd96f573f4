package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.task.TaskState;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Waiting for the ends of tasks over HTTP. */
class EndsApiTest extends ApiTestBase {

    private static final String TASKS = "/api/v1/queues/orders/tasks/";

    @ParameterizedTest
    @CsvSource({"SUCCEEDED, true", "DEAD, true", "EXPIRED, true", "CANCELLED, true", "RETRY, false"})
    void aTaskThatHasEndedIsShownAndOneThatHasNotIsSaidToRunOn(TaskState state, boolean ended) {
        put("0", "1:1", state, named("a"));

        JsonNode answer = get(TASKS + "a/end?timeout=30s", 200);
        assertThat(answer.path("ended").asBoolean()).isEqualTo(ended);
        assertThat(answer.path("state").asString()).isEqualTo(state.name().toLowerCase(Locale.ROOT));
        assertThat(answer.path("task").path("id").asString()).isEqualTo("a");
        assertThat(PLATFORM.changes).containsExactly("await orders a PT30S");
    }

    @Test
    void aTaskThatNobodyKnowsHasNotEnded() {
        JsonNode answer = get(TASKS + "unknown/end?timeout=1ms", 200);
        assertThat(answer.path("ended").asBoolean(true)).isFalse();
        assertThat(answer.has("state")).isFalse();
        assertThat(answer.has("task")).isFalse();
    }

    @Test
    void aTaskIsAwaitedByItsReference() {
        put("0", "1:1", TaskState.SUCCEEDED, named("a"));
        assertThat(get(TASKS + "%400%2F1%3A1/end?timeout=500", 200)
                        .path("ended")
                        .asBoolean())
                .isTrue();
        assertThat(PLATFORM.changes).containsExactly("await orders @0/1:1 PT0.5S");
    }

    @Test
    void aRequestForALongTimeIsAnsweredAfterHalfAMinute() {
        get(TASKS + "unknown/end?timeout=5m", 200);
        assertThat(PLATFORM.changes).containsExactly("await orders unknown PT30S");
    }

    @ParameterizedTest
    @CsvSource({
        "'', is missing",
        "?timeout=, is no duration",
        "?timeout=soon, is no duration",
        "?timeout=0, The parameter timeout",
        "?timeout=-1s, The parameter timeout",
        "?timeout=301s, The parameter timeout",
        "?timeout=99999999999999999999999999999999999999d, is no duration"
    })
    void aTimeoutThatIsMissingOrOutOfBoundsIsRefused(String query, String detail) {
        JsonNode problem = get(TASKS + "a/end" + query, 400);
        assertThat(problem.path("detail").asString()).contains(detail);
        assertThat(problem.path("remedy").asString()).contains("1ms to 5m");
        assertThat(PLATFORM.changes).isEmpty();
    }

    @Test
    void aQueueThatTheServerDoesNotHaveIsNotWaitedFor() {
        get("/api/v1/queues/nobody/tasks/a/end?timeout=1s", 404);
    }

    @Test
    void soManyWaitAtATimeAndMoreAreSentAwayUntilOthersHaveTheirAnswer() {
        put("0", "1:1", TaskState.SUCCEEDED, named("a"));
        CompletableFuture<Optional<TaskInfo>> end = new CompletableFuture<>();
        PLATFORM.end = end;
        HttpClient client = HttpClient.newHttpClient();
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (int sent = 1; sent <= EndsController.MAX_WAITING; sent++) {
            waiting.add(client.sendAsync(
                    HttpRequest.newBuilder(uri(TASKS + "a/end?timeout=1m")).build(), BodyHandlers.ofString()));
            if (sent % 32 == 0) {
                // The server has fewer threads than these requests, and refuses more at once.
                int all = sent;
                await().atMost(Duration.ofSeconds(60)).until(() -> PLATFORM.awaited() == all);
            }
        }

        assertThat(get(TASKS + "a/end?timeout=1m", 503).path("remedy").asString())
                .contains("another server");
        end.complete(Optional.of(PLATFORM.tasks.values().iterator().next()));
        waiting.forEach(each -> assertThat(each.join().statusCode()).isEqualTo(200));
        get(TASKS + "a/end?timeout=1m", 200);
    }
}
