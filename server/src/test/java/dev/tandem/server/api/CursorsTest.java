package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.task.TaskState;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Pages of lists: their cursors and ETags. */
class CursorsTest extends ApiTestBase {

    private static final String TASKS = "/api/v1/queues/orders/tasks";

    @Test
    void aCursorLeadsToItsPlace() {
        Cursors cursors = Cursors.of("tasks", "orders", null, "3");

        for (String place : List.of("a", "3 1:17 \u00e9", "x".repeat(5_000))) {
            assertThat(cursors.place(cursors.next(place))).isEqualTo(place);
            assertThat(cursors.next(place)).matches("[A-Za-z0-9_-]+");
        }
        assertThat(cursors.next(null)).isNull();
        assertThat(cursors.place(null)).isNull();
        assertThat(cursors.place("")).isNull();
    }

    @Test
    void anyOtherTextIsRefused() {
        Cursors cursors = Cursors.of("tasks", "orders", "dead");
        String good = String.valueOf(cursors.next("1:17"));
        byte[] later = Base64.getUrlDecoder().decode(good);
        later[0]++;
        String ofLaterVersion = Base64.getUrlEncoder().encodeToString(later);

        assertThatThrownBy(() -> cursors.place(ofLaterVersion)).hasMessageContaining("another version");
        for (String wrong : List.of("x", "AQ", "???", good.substring(0, good.length() - 4), good + "AAAA", " ")) {
            assertThatThrownBy(() -> cursors.place(wrong)).as(wrong).hasMessageContaining("is none");
        }
        for (Cursors other : List.of(
                Cursors.of("tasks", "orders", null),
                Cursors.of("tasks", "mail", "dead"),
                Cursors.of("keys", "orders"))) {
            assertThatThrownBy(() -> other.place(good)).hasMessageContaining("another list");
        }
    }

    @Test
    void aCursorOfAnotherListIsAProblem() {
        for (int i = 0; i < 3; i++) {
            put("0", "1:" + i, TaskState.DEAD, named("t" + i));
        }
        String next = get(TASKS + "?state=dead&limit=2", 200).path("next").asString();

        assertThat(get(TASKS + "?state=dead&limit=2&cursor=" + next, 200).path("tasks"))
                .hasSize(1);
        for (String other :
                List.of(TASKS + "?state=retry", TASKS + "?limit=2", "/api/v1/queues/mail/tasks?state=dead")) {
            JsonNode problem = get(other + "&cursor=" + next, 400);
            assertThat(problem.path("type").asString()).isEqualTo("urn:tandem:problem:invalid-cursor");
            assertThat(problem.at("/errors/0/parameter").asString()).isEqualTo("cursor");
        }
        get("/api/v1/audit?cursor=" + next, 400);
    }

    @Test
    void whoHasAnAnswerAlreadyIsToldSo() throws Exception {
        put("0", "1:1", TaskState.DEAD, named("t"));
        for (String path : List.of(TASKS, TASKS + "/t", "/api/v1/queues", "/api/v1/openapi.json")) {
            HttpResponse<String> first = plain(path, "");
            String etag = first.headers().firstValue("ETag").orElse("");
            assertThat(etag).as(path).startsWith("W/\"");

            HttpResponse<String> same = plain(path, "\"other\", " + etag);

            assertThat(same.statusCode()).as(path).isEqualTo(304);
            assertThat(same.body()).isEmpty();
            assertThat(same.headers().firstValue("ETag")).hasValue(etag);
            assertThat(plain(path, "W/\"other\"").body()).isEqualTo(first.body());
        }
        String before = plain(TASKS, "").headers().firstValue("ETag").orElse("");
        put("0", "1:2", TaskState.DEAD, named("u"));
        assertThat(plain(TASKS, before).statusCode()).isEqualTo(200);
    }

    @Test
    void whatWaitsOrFailsHasNoTag() throws Exception {
        for (String path : List.of(TASKS + "/t/end?timeout=1ms", TASKS + "/unknown", TASKS + "?limit=0")) {
            assertThat(plain(path, "").headers().firstValue("ETag")).as(path).isEmpty();
        }
    }

    private static HttpResponse<String> plain(String path, String has) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        if (!has.isEmpty()) {
            request.header("If-None-Match", has);
        }
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }
}
