package dev.tandem.server;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
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

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
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

    Answer post(String path) {
        return send("POST", path, null);
    }

    Answer post(String path, String json) {
        return send("POST", path, json);
    }

    Answer delete(String path) {
        return send("DELETE", path, null);
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
