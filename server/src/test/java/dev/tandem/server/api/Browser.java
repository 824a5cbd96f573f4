package dev.tandem.server.api;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A browser with its cookies. It shows pages, and sends what their forms have. */
final class Browser {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Pattern PROOF = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"");

    private final int port;

    final Map<String, String> cookies = new TreeMap<>();
    HttpResponse<String> page;

    /** @param port that of the server */
    Browser(int port) {
        this.port = port;
    }

    Browser open(String path) {
        return send(request(path).GET());
    }

    /** Sends the form of the page that it shows. */
    Browser submit(String path, Map<String, String> fields) {
        Map<String, String> all = new LinkedHashMap<>(fields);
        Matcher proof = PROOF.matcher(page.body());
        if (proof.find()) {
            all.putIfAbsent("_csrf", proof.group(1));
        }
        return post(path, all);
    }

    Browser post(String path, Map<String, String> fields) {
        String form = fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return send(request(path)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form)));
    }

    Browser logIn(String token) {
        open("/login");
        return submit("/login", Map.of("token", token));
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        path.startsWith("http") ? URI.create(path) : URI.create("http://127.0.0.1:" + port + path))
                .header("Accept", "text/html,*/*;q=0.8");
        if (!cookies.isEmpty()) {
            request.header(
                    "Cookie",
                    cookies.entrySet().stream()
                            .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                            .collect(Collectors.joining("; ")));
        }
        return request;
    }

    Browser send(HttpRequest.Builder request) {
        try {
            page = HTTP.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
        for (String set : page.headers().allValues("Set-Cookie")) {
            String[] cookie = set.split(";")[0].split("=", 2);
            if (set.contains("Max-Age=0")) {
                cookies.remove(cookie[0]);
            } else {
                cookies.put(cookie[0], cookie[1]);
            }
        }
        return this;
    }

    int status() {
        return page.statusCode();
    }

    String location() {
        return page.headers().firstValue("Location").orElse("");
    }

    String session() {
        return cookies.getOrDefault("tandem-session-" + port, "");
    }

    /** Puts the secret of a session where the browser has its own. */
    Browser steal(String secret) {
        cookies.put("tandem-session-" + port, secret);
        return this;
    }

    /** Returns what a form of the page would send as a proof of where it comes from; of the start page if it has none. */
    String proof() {
        Matcher proof = PROOF.matcher(page.body());
        return proof.find() ? proof.group(1) : open("/").proof();
    }
}
