package dev.tandem.server.cli;

import dev.tandem.task.FailureText;
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
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** A client of a server's HTTP API. Not thread-safe. */
final class ApiClient {

    /** Keeps numbers as exact as the server sends them. */
    static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);

    private final URI server;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();

    /** @throws CliException if the address is not a URL */
    ApiClient(String server) {
        try {
            this.server = URI.create(server.endsWith("/") ? server.substring(0, server.length() - 1) : server);
        } catch (IllegalArgumentException e) {
            throw new CliException(CliException.USAGE, "--server is '" + server + "', which is no URL");
        }
        if (this.server.getHost() == null) {
            throw new CliException(
                    CliException.USAGE, "--server is '" + server + "': write it like http://127.0.0.1:8080");
        }
    }

    /** Returns a path below the API's root. Each part is percent-encoded, including its slashes. */
    static String path(String... parts) {
        StringBuilder path = new StringBuilder("/api/v1");
        for (String part : parts) {
            path.append('/').append(encode(part));
        }
        return path.toString();
    }

    /** Returns the path with a query string. Null values are left out. */
    static String query(String path, Map<String, @Nullable String> parameters) {
        StringBuilder query = new StringBuilder(path);
        char separator = '?';
        for (Map.Entry<String, @Nullable String> parameter : parameters.entrySet()) {
            String value = parameter.getValue();
            if (value != null) {
                query.append(separator).append(parameter.getKey()).append('=').append(encode(value));
                separator = '&';
            }
        }
        return query.toString();
    }

    private static String encode(String text) {
        // URLEncoder encodes for forms, where a space is a plus. Lone dots would be taken for path navigation.
        String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
        return encoded.matches("\\.{1,2}") ? encoded.replace(".", "%2E") : encoded;
    }

    JsonNode get(String path) {
        return send(HttpRequest.newBuilder(uri(path)).GET());
    }

    JsonNode post(String path) {
        return send(HttpRequest.newBuilder(uri(path)).POST(BodyPublishers.noBody()));
    }

    JsonNode post(String path, JsonNode body) {
        return send(HttpRequest.newBuilder(uri(path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body))));
    }

    JsonNode delete(String path) {
        return send(HttpRequest.newBuilder(uri(path)).DELETE());
    }

    private URI uri(String path) {
        return URI.create(server + path);
    }

    private JsonNode send(HttpRequest.Builder request) {
        HttpResponse<byte[]> response;
        try {
            response = http.send(
                    request.timeout(REQUEST_TIMEOUT)
                            .header("Accept", "application/json")
                            .build(),
                    BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new CliException(
                    CliException.UNREACHABLE,
                    "The server at " + server + " can't be reached ("
                            + FailureText.of(e)
                            + "). Start one with './tandem server' or './tandem up', or name another with --server");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CliException(CliException.REFUSED, "Interrupted");
        }
        JsonNode body = read(response);
        if (response.statusCode() >= 300) {
            String detail = body.path("detail").asString("the server answers with status " + response.statusCode());
            String remedy = body.path("remedy").asString("");
            throw new CliException(CliException.REFUSED, remedy.isEmpty() ? detail : asSentence(detail) + " " + remedy);
        }
        return body;
    }

    /** Ends a detail with one full stop. It may have one already, since details quote messages of libraries. */
    private static String asSentence(String detail) {
        return detail.endsWith(".") ? detail : detail + ".";
    }

    private JsonNode read(HttpResponse<byte[]> response) {
        try {
            return response.body().length == 0 ? JSON.createObjectNode() : JSON.readTree(response.body());
        } catch (JacksonException e) {
            throw new CliException(
                    CliException.REFUSED,
                    server + " answers with status " + response.statusCode() + " and no JSON: is it a Tandem server?");
        }
    }
}
