package dev.tandem.benchmarks;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import tools.jackson.databind.json.JsonMapper;

/** The API of a server, for an administrator. */
final class BenchApi {

    private final HttpClient http = HttpClient.newHttpClient();
    private final String server;
    private final String token;

    /** @param token that of an administrator */
    BenchApi(String server, String token) {
        this.server = server;
        this.token = token;
    }

    /** Makes a token with this role, and returns it. */
    String newToken(String role) throws Exception {
        String answer = post("tokens?name=" + role + "&role=" + role);
        return JsonMapper.shared().readTree(answer).path("token").asString();
    }

    String post(String path) throws Exception {
        return send("POST", path, "");
    }

    void put(String path, String json) throws Exception {
        send("PUT", path, json);
    }

    private String send(String method, String path, String json) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server + "/api/v1/" + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(method, json.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(json))
                .build();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IllegalStateException(
                    method + " " + path + " was answered with " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }
}
