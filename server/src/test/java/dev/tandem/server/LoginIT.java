package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.RunningServer.Answer;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.env.Environment;
import tools.jackson.databind.JsonNode;

/** The login of servers that share a Redis: the first token, tokens of other servers, and the audit log. */
class LoginIT {

    private final String platform = UniqueNames.fresh("login");

    @TempDir
    Path folder;

    @Test
    void theFirstServerMakesATokenThatAllServersTake() throws IOException {
        Path first = folder.resolve("first");
        Path second = folder.resolve("second");
        String admin;
        try (RunningServer one = server(first)) {
            await().atMost(PATIENCE).until(() -> Files.exists(first));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first)))
                    .isEqualTo("rw-------");
            admin = Files.readString(first).strip();
            try (RunningServer two = server(second)) {
                await().atMost(PATIENCE).until(() -> status(two, "GET", "/api/v1/caller", admin) == 200);
                await().atMost(PATIENCE).until(() -> Files.exists(second));
                String other = Files.readString(second).strip();
                assertThat(other)
                        .as("commands on the other machine have a token of their own")
                        .isNotEqualTo(admin);
                assertThat(status(one, "GET", "/api/v1/caller", other)).isEqualTo(200);
                assertThat(send(one, "GET", "/api/v1/tokens", admin)
                                .json()
                                .path("tokens")
                                .size())
                        .isEqualTo(2);

                Answer created = send(one, "POST", "/api/v1/tokens?name=ci&role=operator", admin);
                String operator = created.json().path("token").asString();
                assertThat(status(two, "POST", "/api/v1/queues/mail/pause", operator))
                        .isEqualTo(202);
                assertThat(status(two, "DELETE", "/api/v1/tokens/" + operator.split("_")[1], operator))
                        .isEqualTo(403);
                assertThat(status(one, "DELETE", "/api/v1/tokens/" + operator.split("_")[1], admin))
                        .isEqualTo(202);
                assertThat(status(one, "GET", "/api/v1/caller", operator)).isEqualTo(401);
                await().atMost(PATIENCE).until(() -> status(two, "GET", "/api/v1/caller", operator) == 401);

                Answer last = send(two, "DELETE", "/api/v1/tokens/" + admin.split("_")[1], admin);
                assertThat(last.status()).as("the last one of an admin").isEqualTo(409);

                assertTheAuditLogHasAll(one, two, admin, operator);
                assertPublishersAndFailedLoginsAreKeptApart(one, two, admin);
            }
        }
        try (RunningServer again = server(first)) {
            String kept = Files.readString(first).strip();
            await().atMost(PATIENCE).until(() -> status(again, "GET", "/api/v1/caller", kept) == 200);
            assertThat(kept).as("a good token in the file stays").isEqualTo(admin);
        }
    }

    private static void assertTheAuditLogHasAll(RunningServer one, RunningServer two, String admin, String operator) {
        await().atMost(PATIENCE)
                .until(() -> send(two, "GET", "/api/v1/audit", admin)
                                .json()
                                .path("entries")
                                .size()
                        == 3);
        await().atMost(PATIENCE)
                .until(() -> send(two, "GET", "/api/v1/audit?refused=true", admin)
                                .json()
                                .path("entries")
                                .size()
                        == 2);
        assertThat(send(one, "GET", "/api/v1/audit?refused=true", admin).body())
                .contains("\"who\":\"ci\"", "refused with status 403", "refused with status 409");
        Answer audit = send(one, "GET", "/api/v1/audit?limit=2", admin);
        String next = audit.json().path("next").asString();
        assertThat(send(one, "GET", "/api/v1/audit?cursor=" + next, admin)
                        .json()
                        .path("entries")
                        .size())
                .isEqualTo(1);
        assertThat(status(one, "GET", "/api/v1/audit?from=1960-01-01T00:00:00Z", admin))
                .isEqualTo(200);
        assertThat(status(one, "GET", "/api/v1/audit?refused=true&cursor=" + next, admin))
                .as("of another list")
                .isEqualTo(400);
        assertThat(status(one, "GET", "/api/v1/audit?from=%2B1000000000-12-31T23:59:59Z", admin))
                .isEqualTo(400);
        assertThat(send(one, "GET", "/api/v1/audit", admin).body())
                .contains("\"who\":\"ci\"", "\"action\":\"pause\"", "queue mail", operator.split("_")[1])
                .doesNotContain(operator, admin);
    }

    private static void assertPublishersAndFailedLoginsAreKeptApart(
            RunningServer one, RunningServer two, String admin) {
        for (int i = 0; i < 3; i++) {
            assertThat(status(one, "POST", "/api/v1/queues/mail/tasks?wrong=1", admin))
                    .isEqualTo(400);
        }
        await().atMost(PATIENCE).until(() -> requests(two, admin) == 3);
        await().atMost(PATIENCE)
                .until(() -> !send(two, "GET", "/api/v1/audit?kind=failed-logins", admin)
                        .json()
                        .path("entries")
                        .isEmpty());
        assertThat(send(one, "GET", "/api/v1/audit", admin).json().path("entries"))
                .hasSize(3);
    }

    /** Returns how many requests the entries of publishers stand for. */
    private static int requests(RunningServer server, String admin) {
        int requests = 0;
        for (JsonNode entry : send(server, "GET", "/api/v1/audit?kind=published", admin)
                .json()
                .path("entries")) {
            requests += entry.path("requests").asInt(1);
        }
        return requests;
    }

    /** Whoever starts a server that cannot reach Redis is told so, and not that the token is wrong. */
    @Test
    void withoutRedisNoTokenCanBeChecked() {
        try (RunningServer server = server(folder.resolve("none"), "redis://127.0.0.1:1")) {
            Answer answer = send(
                    server, "GET", "/api/v1/queues", "tandem_ABCDEFGHJKLM_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.body()).contains("Redis has not answered");
        }
    }

    /** Otherwise the metrics of a server on loopback would be open to the network. */
    @Test
    void aPortOfItsOwnForHealthListensWhereTheApiDoes() {
        try (RunningServer server = new RunningServer(Map.of(
                "server.port", "0",
                "management.server.port", "0",
                "tandem.executor.enabled", "false",
                "tandem.redis.uri", "redis://127.0.0.1:1",
                "tandem.queues.mail.source", "rabbit"))) {
            assertThat(server.bean("environment", Environment.class).getProperty("management.server.address"))
                    .isEqualTo("127.0.0.1");
        }
    }

    private RunningServer server(Path tokenFile) {
        return server(tokenFile, Brokers.redis().uri());
    }

    private RunningServer server(Path tokenFile, String redis) {
        return new RunningServer(Map.of(
                "server.port", "0",
                "tandem.executor.enabled", "false",
                "tandem.api.login", "required",
                "tandem.api.token-file", tokenFile.toString(),
                "tandem.redis.uri", redis,
                "tandem.redis.namespace", platform,
                "tandem.queues.mail.source", "rabbit"));
    }

    private static int status(RunningServer server, String method, String path, String token) {
        return send(server, method, path, token).status();
    }

    private static Answer send(RunningServer server, String method, String path, String token) {
        return server.send(HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Authorization", "Bearer " + token)
                .method(method, BodyPublishers.noBody())
                .build());
    }
}
