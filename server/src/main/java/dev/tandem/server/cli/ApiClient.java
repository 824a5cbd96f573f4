package dev.tandem.server.cli;

import dev.tandem.task.FailureText;
import dev.tandem.task.UrlText;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A client of a server's HTTP API. Not thread-safe. Uses {@link HttpURLConnection}, because the newer client of the JDK
 * takes a fifth of a second to start, which is most of what a command may take.
 */
final class ApiClient {

    /** Keeps numbers as exact as the server sends them. */
    static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final int READ_TIMEOUT_MS = 60_000;

    private record Response(int status, byte[] body, String etag) {}

    /** A payload as it is. @param etag what tells it from other payloads of its task */
    record Payload(byte[] bytes, String etag) {}

    private final URI server;
    private final Optional<String> token;
    private final @Nullable SSLSocketFactory sockets;
    /** Begins every error: the name of the profile, if there is one. */
    private String errors = "";

    /**
     * @param token returns the token for a server
     * @param ca the file with the certificates that are trusted; "" for what the JVM trusts
     * @throws CliException if the address is not a URL, or the file has no certificates
     */
    ApiClient(String server, Function<URI, Optional<String>> token, String ca) {
        try {
            this.server = URI.create(server.endsWith("/") ? server.substring(0, server.length() - 1) : server);
        } catch (IllegalArgumentException e) {
            throw new CliException(CliException.USAGE, "--server is '" + server + "', which is no URL");
        }
        if (this.server.getHost() == null
                || !String.valueOf(this.server.getScheme()).matches("https?")) {
            throw new CliException(
                    CliException.USAGE, "--server is '" + server + "': write it like http://127.0.0.1:8080");
        }
        this.token = token.apply(this.server);
        // Java prepares TLS, which takes a while, only for addresses that need it.
        sockets = ca.isEmpty() || !"https".equals(this.server.getScheme()) ? null : TrustedAuthority.sockets(ca);
    }

    URI server() {
        return server;
    }

    /** Has errors name the profile that the server is from. */
    ApiClient ofProfile(@Nullable String profile) {
        errors = profile == null ? "" : "Profile '" + profile + "': ";
        return this;
    }

    /** Returns a path below the API's root. Each part is percent-encoded, including its slashes. */
    static String path(String... parts) {
        StringBuilder path = new StringBuilder("/api/v1");
        for (String part : parts) {
            path.append('/').append(UrlText.pathSegment(part));
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
                query.append(separator).append(parameter.getKey()).append('=').append(UrlText.queryValue(value));
                separator = '&';
            }
        }
        return query.toString();
    }

    JsonNode get(String path) {
        return send("GET", path, null);
    }

    JsonNode post(String path) {
        return send("POST", path, new byte[0]);
    }

    JsonNode post(String path, JsonNode body) {
        return send("POST", path, JSON.writeValueAsBytes(body));
    }

    /** Posts with a key by which the server knows a repeat. @param key null for none */
    JsonNode post(String path, JsonNode body, @Nullable String key) {
        return send("POST", path, JSON.writeValueAsBytes(body), key);
    }

    JsonNode put(String path, JsonNode body) {
        return send("PUT", path, JSON.writeValueAsBytes(body));
    }

    JsonNode delete(String path) {
        return send("DELETE", path, null);
    }

    /** Returns a payload as it is. */
    Payload payload(String path) {
        Response response = exchange("GET", path, null, Map.of());
        if (response.status() >= 300) {
            throw refused(response, read(response));
        }
        return new Payload(response.body(), response.etag());
    }

    /** Replaces a payload. @param etag that of the one that was seen */
    JsonNode replace(String path, byte[] payload, String etag) {
        Map<String, String> headers = Map.of("If-Match", etag, "Content-Type", "application/octet-stream");
        return answer(exchange("PUT", path, payload, headers));
    }

    private JsonNode send(String method, String path, byte @Nullable [] body) {
        return send(method, path, body, null);
    }

    private JsonNode send(String method, String path, byte @Nullable [] body, @Nullable String key) {
        return answer(exchange(method, path, body, key == null ? Map.of() : Map.of("Idempotency-Key", key)));
    }

    private Response exchange(String method, String path, byte @Nullable [] body, Map<String, String> headers) {
        try {
            HttpURLConnection connection = open(method, path);
            if (body != null && body.length > 0) {
                connection.setRequestProperty("Content-Type", "application/json");
            }
            headers.forEach(connection::setRequestProperty);
            return exchange(connection, body);
        } catch (IOException e) {
            throw unreachable(method, e);
        }
    }

    private JsonNode answer(Response response) {
        JsonNode answer = read(response);
        if (response.status() >= 300) {
            throw refused(response, answer);
        }
        return answer;
    }

    private CliException refused(Response response, JsonNode answer) {
        String detail = answer.path("detail").asString("the server answers with status " + response.status());
        String remedy = answer.path("remedy").asString("");
        return new CliException(
                CliException.REFUSED, errors + (remedy.isEmpty() ? detail : asSentence(detail) + " " + remedy));
    }

    private CliException unreachable(String method, IOException failure) {
        String remedy = failure instanceof SSLException ? TrustedAuthority.remedy(failure) : "";
        if (!remedy.isEmpty()) {
            return new CliException(
                    CliException.UNREACHABLE,
                    errors + "The server at " + server + " isn't trusted, so nothing was sent ("
                            + FailureText.of(failure) + "). " + remedy);
        }
        boolean sent = !(failure instanceof ConnectException
                || failure instanceof UnknownHostException
                || "Connect timed out".equals(failure.getMessage()));
        String advice = sent && !method.equals("GET")
                ? "It may still take effect; check with './tandem queues' before you repeat it"
                : "Start one with './tandem server' or './tandem up', or name another with --server";
        String what = sent ? "does not answer" : "can't be reached";
        return new CliException(
                CliException.UNREACHABLE,
                errors + "The server at " + server + " " + what + " (" + FailureText.of(failure) + "). " + advice);
    }

    private HttpURLConnection open(String method, String path) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(server + path).toURL().openConnection();
        if (sockets != null && connection instanceof HttpsURLConnection secure) {
            secure.setSSLSocketFactory(sockets);
        }
        connection.setRequestMethod(method);
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout(CONNECT_TIMEOUT_MS);
        connection.setReadTimeout(READ_TIMEOUT_MS);
        connection.setRequestProperty("Accept", "application/json");
        token.ifPresent(text -> connection.setRequestProperty("Authorization", "Bearer " + text));
        return connection;
    }

    private static Response exchange(HttpURLConnection connection, byte @Nullable [] body) throws IOException {
        if (body != null) {
            connection.setDoOutput(true);
            // A body of a fixed length is never sent a second time behind the caller's back.
            connection.setFixedLengthStreamingMode(body.length);
            try (OutputStream out = connection.getOutputStream()) {
                out.write(body);
            }
        }
        int status = status(connection);
        try (InputStream in = status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
            String etag = connection.getHeaderField("ETag");
            return new Response(status, in == null ? new byte[0] : in.readAllBytes(), etag == null ? "" : etag);
        }
    }

    private static int status(HttpURLConnection connection) throws IOException {
        try {
            return connection.getResponseCode();
        } catch (HttpRetryException e) {
            return e.responseCode(); // it asks for a login, and the body is not sent again with one
        }
    }

    /** Ends a detail with one full stop. It may have one already, since details quote messages of libraries. */
    private static String asSentence(String detail) {
        return detail.endsWith(".") ? detail : detail + ".";
    }

    private JsonNode read(Response response) {
        try {
            return response.body().length == 0 ? JSON.createObjectNode() : RawPayload.parse(response.body());
        } catch (JacksonException e) {
            if (new String(response.body(), StandardCharsets.ISO_8859_1).contains("requires TLS")) {
                throw new CliException(
                        CliException.USAGE, server + " speaks TLS only: write https:// in place of http://");
            }
            throw new CliException(
                    CliException.REFUSED,
                    server + " answers with status " + response.status() + " and no JSON: is it a Tandem server?");
        }
    }
}
