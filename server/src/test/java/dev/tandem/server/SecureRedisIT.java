package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalMode;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.PortReservations;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.TestCertificates;
import dev.tandem.testkit.TestCertificates.Issued;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A server on a Redis with TLS, a private authority and certificates on both sides, as the user with the least rights that
 * docs/security.md describes. Every feature works, and nothing that Tandem sends is refused.
 */
class SecureRedisIT {

    @TempDir
    private static Path folder;

    private static TestCertificates authority;
    private static Issued own;
    private static Path password;
    private static int tlsPort;
    private static LocalRedis redis;
    private static RedisClient client;
    private static RedisCommands<String, String> admin;

    private final String main = UniqueNames.fresh("secure");
    private final String pulled = UniqueNames.fresh("secure-pull");
    private RecordingEndpoint endpoint;

    @BeforeAll
    static void start() throws IOException {
        authority = TestCertificates.authority(folder, "ca");
        own = authority.issue("tandem");
        password = Files.writeString(folder.resolve("password"), "first-secret\n");
        Issued server = authority.issue("redis");
        tlsPort = PortReservations.reserve();
        redis = Brokers.orSkip(() -> LocalRedis.builder()
                .mode(LocalMode.PATH)
                .setting("tls-port", Integer.toString(tlsPort))
                .setting("tls-cert-file", server.certificate().toString())
                .setting("tls-key-file", server.key().toString())
                .setting("tls-ca-cert-file", authority.ca().toString())
                .setting("tls-auth-clients", "yes")
                .start());
        client = RedisClient.create(redis.address());
        admin = client.connect().sync();
        setUser("first-secret");
    }

    @BeforeEach
    void listen() throws IOException {
        endpoint = new RecordingEndpoint();
    }

    @AfterEach
    void hangUp() {
        endpoint.close();
    }

    @AfterAll
    static void stop() {
        if (client != null) {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            redis.close();
        }
    }

    @Test
    void everyFeatureWorksWithTheDocumentedRightsOnly() throws IOException {
        try (RunningServer server = RunningServer.healthy(settings())) {
            runTasks(server);
            operate(server);
            pull(server);
            exchangePasswordAndCertificate(server);
        }
        assertThat(refusals(admin)).as("ACL LOG").isEmpty();
    }

    @Test
    void everyFeatureWorksWithTheDocumentedRightsOnARedisCluster() {
        List<String> nodes = List.of(Brokers.redisCluster().address().split(","));
        List<RedisClient> clients = nodes.stream().map(RedisClient::create).toList();
        try {
            List<RedisCommands<String, String>> admins =
                    clients.stream().map(each -> each.connect().sync()).toList();
            for (RedisCommands<String, String> each : admins) {
                setUser(each, "first-secret", DocumentedRights.basic());
                setUser(each, "first-secret", DocumentedRights.ofClusters());
                each.aclLogReset();
            }
            Map<String, String> settings = settings();
            settings.keySet().removeIf(name -> name.startsWith("tandem.redis.tls"));
            settings.put("tandem.redis.uri", String.join(",", nodes));
            settings.put("tandem.redis.cluster", "true");
            try (RunningServer server = RunningServer.healthy(settings)) {
                runTasks(server);
                operate(server);
                pull(server);
            }
            for (RedisCommands<String, String> each : admins) {
                assertThat(refusals(each)).as("ACL LOG").isEmpty();
            }
        } finally {
            clients.forEach(each -> each.shutdown(Duration.ZERO, Duration.ofSeconds(2)));
        }
    }

    @Test
    void theUserMayNothingElse() {
        RedisClient asTandem = RedisClient.create(redis.address().replace("//", "//tandem:first-secret@"));
        try {
            RedisCommands<String, String> commands = asTandem.connect().sync();
            assertThatThrownBy(commands::flushall).hasMessageContaining("NOPERM");
            assertThatThrownBy(() -> commands.keys("*")).hasMessageContaining("NOPERM");
            assertThatThrownBy(() -> commands.configSet("appendonly", "no")).hasMessageContaining("NOPERM");
            assertThatThrownBy(() -> commands.get("of-others")).hasMessageContaining("NOPERM");
            assertThatThrownBy(() -> commands.publish("of-others", "x")).hasMessageContaining("NOPERM");
        } finally {
            asTandem.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            admin.aclLogReset();
        }
    }

    private void runTasks(RunningServer server) {
        endpoint.replyFirst("again", 503);
        endpoint.reply("hopeless", 410, null);
        submit(server, "{\"id\": \"plain\", \"payload\": 1}");
        submit(server, "{\"id\": \"again\", \"key\": \"again\", \"payload\": 1}");
        submit(server, "{\"id\": \"behind\", \"key\": \"again\", \"payload\": 1}");
        submit(server, "{\"id\": \"delayed\", \"delay\": \"1s\", \"payload\": 1}");
        submit(server, "{\"id\": \"far\", \"delay\": \"1h\", \"payload\": 1}");
        submit(server, "{\"id\": \"dependent\", \"dependsOn\": \"once\", \"payload\": 1}");
        submit(server, "{\"id\": \"once\", \"dedupKey\": \"once\", \"payload\": 1}");
        submit(server, "{\"id\": \"twice\", \"dedupKey\": \"once\", \"payload\": 1}");
        submit(server, "{\"id\": \"hopeless\", \"key\": \"hopeless\", \"payload\": 1}");
        for (String id : List.of("plain", "behind", "delayed", "dependent")) {
            await(id).atMost(PATIENCE).until(() -> !endpoint.calls(id).isEmpty());
        }
        await().atMost(PATIENCE)
                .until(() -> task(server, "hopeless").path("state").asString().equals("dead"));
        await().atMost(PATIENCE)
                .until(() -> server.get("/api/v1/schedules").body().contains("\"fired\""));
    }

    private void operate(RunningServer server) {
        String queue = "/api/v1/queues/" + main;
        for (String path : List.of(
                "/api/v1/queues",
                queue,
                queue + "/tasks",
                queue + "/tasks?state=dead",
                queue + "/tasks/far",
                queue + "/tasks/once/dependencies",
                queue + "/keys",
                queue + "/keys/hopeless",
                queue + "/dedup-keys/once",
                queue + "/growths",
                queue + "/history",
                queue + "/operations",
                queue + "/partitions",
                "/api/v1/executors",
                "/api/v1/limits",
                "/api/v1/fan-outs",
                "/api/v1/schedules",
                "/actuator/prometheus")) {
            RunningServer.Answer answer = server.get(path);
            assertThat(answer.status()).as(path + ": " + answer.body()).isIn(200, 404);
        }
        endpoint.accept("hopeless");
        assertThat(server.post(queue + "/tasks/hopeless/retry").status()).isEqualTo(202);
        await().atMost(PATIENCE).until(() -> endpoint.calls("hopeless").size() == 2);
        assertThat(server.post(queue + "/tasks/far/reschedule?delay=2h").status())
                .isEqualTo(202);
        assertThat(server.post(queue + "/tasks/far/cancel").status()).isEqualTo(202);
        assertThat(server.post(queue + "/pause").status()).isEqualTo(202);
        assertThat(server.post(queue + "/resume").status()).isEqualTo(202);
        assertThat(server.delete(queue + "/dedup-keys/once").status()).isIn(200, 202, 204, 404);
    }

    private void pull(RunningServer server) {
        PullWorker worker = new PullWorker(server, pulled);
        String tasks = "/api/v1/queues/" + pulled + "/tasks";
        assertThat(server.post(tasks, "{\"id\": \"pulled\", \"payload\": 1}").status())
                .isEqualTo(202);
        JsonNode task = worker.leaseOne();
        worker.say("progress", task, ", \"done\": 40, \"total\": 100");
        worker.say("checkpoint", task, ", \"value\": {\"row\": 40}");
        worker.finish(task);
    }

    /** New connections take what the files have then. */
    private void exchangePasswordAndCertificate(RunningServer server) throws IOException {
        setUser("second-secret");
        Files.writeString(password, "second-secret\n");
        own = authority.issue("tandem");
        admin.clientKill(io.lettuce.core.KillArgs.Builder.user("tandem"));
        submit(server, "{\"id\": \"afterwards\", \"delay\": \"200ms\", \"payload\": 1}");
        await().atMost(PATIENCE).until(() -> !endpoint.calls("afterwards").isEmpty());
        setUser("first-secret");
        Files.writeString(password, "first-secret\n");
    }

    private void submit(RunningServer server, String task) {
        RunningServer.Answer answer = server.post("/api/v1/queues/" + main + "/tasks", task);
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    }

    private JsonNode task(RunningServer server, String id) {
        return server.get("/api/v1/queues/" + main + "/tasks/" + id).json();
    }

    private static void setUser(String secret) {
        setUser(admin, secret, DocumentedRights.basic());
    }

    private static void setUser(RedisCommands<String, String> admin, String secret, List<String> words) {
        CommandArgs<String, String> args =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("tandem");
        words.forEach(word -> args.add(word.replace(DocumentedRights.PASSWORD, secret)));
        assertThat(admin.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args))
                .isEqualTo("OK");
    }

    private static List<String> refusals(RedisCommands<String, String> admin) {
        return admin.aclLog().stream()
                .map(entry -> entry.get("reason") + " " + entry.get("context") + " " + entry.get("object"))
                .collect(Collectors.toList());
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        settings.put("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
        settings.put("tandem.redis.uri", "rediss://localhost:" + tlsPort);
        settings.put("tandem.redis.username", "tandem");
        settings.put("tandem.redis.password-file", password.toString());
        settings.put("tandem.redis.tls.ca-file", authority.ca().toString());
        settings.put("tandem.redis.tls.certificate-file", own.certificate().toString());
        settings.put("tandem.redis.tls.key-file", own.key().toString());
        String queue = "tandem.queues." + main + ".";
        settings.put(queue + "source", "kafka");
        settings.put(queue + "partitions", "2");
        settings.put(queue + "handler", "http");
        settings.put(queue + "http.url", endpoint.url());
        settings.put(queue + "http.dead-on", "410");
        settings.put(queue + "http.allow", "127.0.0.1,localhost");
        settings.put(queue + "backoff.initial", "50ms");
        settings.put(queue + "max-running", "50");
        settings.put(queue + "max-result-bytes", "1KB");
        settings.put(queue + "events.enabled", "true");
        settings.put("tandem.rate-limits.each.rate", "1000/s");
        settings.put("tandem.rate-limits.each.per", "key");
        settings.put("tandem.schedules." + main + ".queue", main);
        settings.put("tandem.schedules." + main + ".every", "1s");
        settings.put("tandem.queues." + pulled + ".source", "kafka");
        settings.put("tandem.queues." + pulled + ".partitions", "1");
        settings.put("tandem.queues." + pulled + ".handler", "pull");
        return settings;
    }
}
