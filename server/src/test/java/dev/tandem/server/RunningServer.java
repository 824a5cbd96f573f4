package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.cli.TandemCli;
import dev.tandem.testkit.Brokers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server in this process, and a client of its API. */
final class RunningServer implements AutoCloseable {

    record Answer(int status, String body) {
        JsonNode json() {
            return JSON.readTree(body);
        }
    }

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final ConfigurableApplicationContext context;
    private final HttpClient http = HttpClient.newHttpClient();
    private final int port;

    RunningServer(Map<String, String> settings) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.putIfAbsent("tandem.api.login", "none");
        context = TandemServer.application()
                .run(all.entrySet().stream()
                        .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                        .toArray(String[]::new));
        port = ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    /** Starts a server, and waits until it is well: then it runs the tasks of its queues. */
    static RunningServer healthy(Map<String, String> settings) {
        RunningServer server = new RunningServer(settings);
        try {
            server.awaitHealth();
            return server;
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    /** Returns the settings of a server at the shared Redis, and at shared brokers of these kinds. */
    static Map<String, String> settings(String... sources) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        settings.put("tandem.redis.uri", Brokers.redis().uri());
        if (List.of(sources).contains("kafka")) {
            settings.put("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
        }
        if (List.of(sources).contains("rabbit")) {
            settings.put("tandem.rabbit.uri", Brokers.rabbit().uri());
        }
        return settings;
    }

    /** Waits until all that it needs can be reached. */
    void awaitHealth() {
        await().atMost(PATIENCE).until(() -> get("/actuator/health").status() == 200);
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    <T> T bean(String name, Class<T> type) {
        return context.getBean(name, type);
    }

    Answer get(String path) {
        return send("GET", path, null);
    }

    /** Returns the value of a metric for a queue or a limit; 0 if there is none. */
    double metric(String name, String of) {
        Pattern line = Pattern.compile("(?m)^" + name + "\\{(?:queue|limit)=\"" + Pattern.quote(of) + "\"} (\\S+)$");
        Matcher found = line.matcher(get("/actuator/prometheus").body());
        return found.find() ? Double.parseDouble(found.group(1)) : 0;
    }

    Answer post(String path) {
        return send("POST", path, null);
    }

    Answer post(String path, String json) {
        return send("POST", path, json);
    }

    Answer delete(String path) {
        return send("DELETE", path, null);
    }

    /** Runs a command against this server, which must do what it is told. */
    void command(String... words) {
        String[] line =
                Stream.concat(Stream.of(words), Stream.of("--server=" + url())).toArray(String[]::new);
        assertThat(TandemCli.commandLine().execute(line))
                .as(String.join(" ", words))
                .isZero();
    }

    private Answer send(String method, String path, String json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60))
                .method(method, json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json));
        if (json != null) {
            request.header("Content-Type", "application/json");
        }
        return send(request.build());
    }

    Answer send(HttpRequest request) {
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
