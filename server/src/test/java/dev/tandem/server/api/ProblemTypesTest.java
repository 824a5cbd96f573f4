package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Programs can tell problems apart by their types. That each problem has a type of its status, {@link ApiTestBase} checks. */
class ProblemTypesTest extends ApiTestBase {

    @Test
    void theProtocolListsAllTypesWithTheirStatus() throws IOException {
        List<String> listed = Pattern.compile("(?m)^\\| `urn:tandem:problem:([a-z-]+)` \\| (\\d{3}) \\|")
                .matcher(Files.readString(Path.of("../docs/protocol.md")))
                .results()
                .map(row -> "urn:tandem:problem:" + row.group(1) + " " + row.group(2))
                .toList();

        assertThat(listed)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(ProblemType.values())
                        .map(type -> type.uri() + " " + type.status().value())
                        .toList());
    }

    @Test
    void everyRouteNamesAParameterThatItDoesNotHave() {
        int routes = 0;
        for (Map.Entry<String, JsonNode> path :
                OpenApiAnswers.document().path("paths").properties()) {
            for (String method : path.getValue().propertyNames()) {
                String url = "/api/v1" + path.getKey().replaceAll("\\{\\w+}", "x") + "?nonsense=1";
                assertThat(type(send(method.toUpperCase(Locale.ROOT), url, null, null, 400)))
                        .as(url)
                        .isEqualTo("unknown-parameter");
                routes++;
            }
        }
        assertThat(routes).isGreaterThan(60);
    }

    @Test
    void everyRouteOfAQueueTellsThatThereIsNone() {
        for (Map.Entry<String, JsonNode> path :
                OpenApiAnswers.document().path("paths").properties()) {
            if (path.getKey().startsWith("/queues/{queue}")) {
                for (String method : path.getValue().propertyNames()) {
                    String needs = path.getKey().endsWith("/partitions") && method.equals("post") ? "?from=1&to=2" : "";
                    String url = "/api/v1" + path.getKey().replaceAll("\\{\\w+}", "none") + needs;
                    assertThat(type(send(method.toUpperCase(Locale.ROOT), url, "application/json", "{}", 404)))
                            .as(url)
                            .isEqualTo("unknown-queue");
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            GET    | /api/v1/queues/orders/tasks?limit=0           | 400 | invalid-parameter    | limit
            GET    | /api/v1/queues/orders/tasks?limit=x           | 400 | invalid-parameter    | limit
            GET    | /api/v1/queues/orders/history?range=2h        | 400 | invalid-parameter    | range
            GET    | /api/v1/queues/orders/history?step=7m         | 400 | invalid-parameter    | step
            POST   | /api/v1/queues/orders/partitions?from=1       | 400 | invalid-parameter    | to
            POST   | /api/v1/queues/orders/operations              | 400 | invalid-parameter    | action
            GET    | /api/v1/fan-outs/7                            | 400 | invalid-parameter    | fanOut
            GET    | /api/v1/nothing                               | 404 | not-found            |
            PATCH  | /api/v1/queues                                | 405 | method-not-allowed   |
            GET    | /api/v1/queues/orders/tasks/none              | 404 | unknown-task         |
            GET    | /api/v1/schedules/none                        | 404 | unknown-schedule     |
            GET    | /api/v1/limits/none                           | 404 | unknown-limit        |
            DELETE | /api/v1/tokens/none                           | 404 | unknown-token        |
            GET    | /api/v1/queues/orders/operations/none         | 404 | unknown-operation    |
            POST   | /api/v1/queues/orders/pull/lease              | 409 | not-pulled           |
            """)
    void problemsHaveTypesAndNameTheParameter(String method, String path, int status, String type, String parameter) {
        JsonNode problem = send(method, path, null, null, status);

        assertThat(type(problem)).isEqualTo(type);
        assertThat(problem.at("/errors/0/parameter").asString(null)).isEqualTo(parameter);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"delay": "soon"}                           | invalid-task | /delay
            {"delay": "-5s"}                            | invalid-task | /delay
            {"maxAttempts": 0}                          | invalid-task | /maxAttempts
            {"dedupKey": "a", "dedupMode": "x"}         | invalid-task | /dedupMode
            {"a/b~c": 1}                                | invalid-body | /a~1b~0c
            {"payloadBase64": "?"}                      | invalid-body | /payloadBase64
            {"payload":                                 | invalid-body |
            """)
    void problemsOfTasksPointToTheField(String body, String type, String pointer) {
        JsonNode problem = json("/api/v1/queues/orders/tasks", body, 400);

        assertThat(type(problem)).isEqualTo(type);
        assertThat(problem.at("/errors/0/pointer").asString(null)).isEqualTo(pointer);
    }

    @Test
    void problemsOfLeasesAndSchedulesPointToTheField() {
        assertThat(json("/api/v1/queues/exports/pull/lease", "{\"max\": 0}", 400)
                        .at("/errors/0/pointer")
                        .asString())
                .isEqualTo("/max");
        assertThat(json("/api/v1/schedules/s/create", "{\"queue\": \"orders\", \"every\": \"soon\"}", 400)
                        .at("/errors/0/pointer")
                        .asString())
                .isEqualTo("/every");
    }

    private static String type(JsonNode problem) {
        return problem.path("type").asString().replace("urn:tandem:problem:", "");
    }
}
