package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A server that has secrets everywhere, and to which everything goes wrong, shows none of them. */
@Execution(ExecutionMode.CONCURRENT)
class SecretsIT {

    private static final Pattern ADDRESS = Pattern.compile("The API listens on (http://\\S+)");

    private final HttpClient http = HttpClient.newHttpClient();
    private final String name = UniqueNames.fresh("secrets");
    private final Map<String, String> secrets = new LinkedHashMap<>();
    private final Map<String, String> shown = new LinkedHashMap<>();
    private String address = "";

    @TempDir
    private Path folder;

    private String secret(String of) {
        return secrets.computeIfAbsent(of, each -> UniqueNames.fresh("secret") + "Zq7");
    }

    private Path file(String file, String content) throws IOException {
        return Files.writeString(folder.resolve(file), content + "\n");
    }

    @Test
    void noSecretIsInTheLogTheProcessListOrAnAnswer() throws Exception {
        secrets.put("signing", Base64.getEncoder().encodeToString((name + "-signs-requests-with-this").getBytes()));
        RedisClient client = RedisClient.create(Brokers.redis().uri());
        try (RecordingEndpoint endpoint = new RecordingEndpoint();
                LocalProcess server = server(endpoint)) {
            RedisCommands<String, String> redis = client.connect().sync();
            setPassword(redis, secret("redis"));
            server.start();
            await().atMost(PATIENCE).until(() -> findAddress(server));
            await().atMost(PATIENCE).until(() -> Files.exists(folder.resolve("admin-token")));
            String admin = Files.readString(folder.resolve("admin-token")).strip();
            await().atMost(PATIENCE).until(() -> status("GET", "/api/v1/caller", admin, "") == 200);
            provokeErrors(endpoint, admin);
            lookAtEverything(admin);

            setPassword(redis, secret("another redis"));
            redis.clientKill(KillArgs.Builder.typeNormal().user(name));
            await().atMost(PATIENCE).until(() -> status("GET", "/actuator/health", admin, "") == 503);
            shown.put("health", answer("GET", "/actuator/health", admin, ""));
            shown.put("queues while Redis is gone", answer("GET", "/api/v1/queues", admin, ""));
            shown.put("command line", commandLine(server.pid()));
            String log = Files.readString(server.log());
            assertThat(log.split(Pattern.quote(admin), -1))
                    .as("the first token is printed once")
                    .hasSize(2);
            shown.put("log", log.replace(admin, ""));
            secrets.put("admin", admin.split("_", 3)[2]);
            redis.aclDeluser(name);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
        shown.forEach((where, text) -> secrets.forEach((of, secret) ->
                assertThat(text).as("secret %s in %s", of, where).doesNotContain(secret)));
        assertThat(shown.get("log")).as("something went wrong").containsIgnoringCase("RabbitMQ");
    }

    private void setPassword(RedisCommands<String, String> redis, String password) {
        redis.aclSetuser(
                name,
                AclSetuserArgs.Builder.reset()
                        .on()
                        .addPassword(password)
                        .allKeys()
                        .allChannels()
                        .allCommands());
    }

    private LocalProcess server(RecordingEndpoint endpoint) throws IOException {
        Path tree = Files.createDirectories(folder.resolve("tree"));
        Files.writeString(
                tree.resolve("tandem.kafka.properties.sasl.jaas.config"),
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\""
                        + secret("kafka") + "\";");
        Files.writeString(tree.resolve("tandem.rabbit.uri"), "amqp://tandem:" + secret("rabbit") + "@127.0.0.1:1/%2f");
        String queue = "--tandem.queues." + name;
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.config.import=configtree:" + tree + "/",
                "--tandem.api.token-file=" + folder.resolve("admin-token"),
                "--tandem.kafka.bootstrap-servers=" + Brokers.kafka().bootstrapServers(),
                "--tandem.redis.uri=" + Brokers.redis().uri(),
                "--tandem.redis.namespace=" + name,
                "--tandem.redis.username=" + name,
                "--tandem.redis.password-file=" + file("redis-password", secret("redis")),
                queue + ".source=kafka",
                queue + ".partitions=1",
                queue + ".handler=http",
                queue + ".http.url=" + endpoint.url(),
                queue + ".http.signing-keys=file:" + file("hook", "whsec_" + secrets.get("signing")),
                queue + ".max-attempts=1",
                "--tandem.queues.mail.source=rabbit"));
        Path logs = Files.createDirectories(Path.of(System.getProperty("tandem.local.dir", "target/brokers")));
        return LocalProcess.java(
                        "server",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        TandemServer.class.getName(),
                        arguments)
                .log(logs.resolve(name + ".log"))
                .disposable()
                .build();
    }

    private boolean findAddress(LocalProcess server) throws IOException {
        Matcher found = ADDRESS.matcher(Files.readString(server.log()));
        if (found.find()) {
            address = found.group(1);
        }
        return !address.isEmpty();
    }

    private void provokeErrors(RecordingEndpoint endpoint, String admin) throws Exception {
        String created = answer("POST", "/api/v1/tokens?name=ci&role=operator", admin, "");
        String token = created.replaceAll(".*\"token\":\"([^\"]+)\".*", "$1");
        secrets.put("token", token.split("_", 3)[2]);
        endpoint.reply("fails", 500, null);
        String tasks = "/api/v1/queues/" + name + "/tasks";
        assertThat(status("POST", tasks, token, "{\"id\": \"fails\", \"payload\": 1}"))
                .isEqualTo(202);
        await().atMost(PATIENCE)
                .until(() -> answer("GET", tasks + "/fails", token, "").contains("\"dead\""));
        shown.put("dead task", answer("GET", tasks + "/fails", token, ""));
        shown.put("no task", answer("POST", tasks, token, "{\"x\": 1}"));
        shown.put("no broker", answer("GET", "/api/v1/queues/mail", token, ""));
        shown.put("a wrong token", answer("GET", "/api/v1/queues", token + "x", ""));
        shown.put("a token as a queue", answer("GET", "/api/v1/queues/x", token, ""));
        shown.put("not permitted", answer("DELETE", "/api/v1/tokens/x", token, ""));
    }

    private void lookAtEverything(String admin) throws Exception {
        for (String path : List.of(
                "/",
                "/login",
                "/actuator",
                "/actuator/env",
                "/actuator/configprops",
                "/actuator/health",
                "/actuator/prometheus",
                "/api/v1/queues",
                "/api/v1/queues/" + name,
                "/api/v1/executors",
                "/api/v1/tokens",
                "/api/v1/limits",
                "/api/v1/schedules",
                "/api/v1/caller",
                "/api/v1/audit",
                "/api/v1/audit?kind=failed-logins",
                "/api/v1/audit?kind=refused",
                "/api/v1/audit?kind=published")) {
            shown.put(path, answer("GET", path, admin, ""));
        }
        assertThat(shown.get("/api/v1/audit")).contains("name=ci");
    }

    private int status(String method, String path, String token, String body) throws Exception {
        return send(method, path, token, body).statusCode();
    }

    private String answer(String method, String path, String token, String body) throws Exception {
        HttpResponse<String> answer = send(method, path, token, body);
        return answer.headers().map() + answer.body();
    }

    private HttpResponse<String> send(String method, String path, String token, String body) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(address + path))
                        .timeout(PATIENCE)
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", "application/json")
                        .method(method, BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    /** Returns what other users of the machine see of the process; nothing where there is no such file. */
    private static String commandLine(long pid) throws IOException {
        Path file = Path.of("/proc", Long.toString(pid), "cmdline");
        return Files.exists(file) ? Files.readString(file) : "";
    }
}
