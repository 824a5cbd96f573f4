package dev.tandem.server;

import dev.tandem.task.UrlText;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Random requests to the API's routes, and the ones that were bad once. The same seed gives the same requests. */
final class FuzzRequests {

    /**
     * One route of the API.
     *
     * @param path with its variables in braces
     */
    record Route(String method, String path) {}

    private static final Pattern VARIABLE = Pattern.compile("\\{(\\w+)}");

    private static final List<String> REFS = List.of(
            "@0/1:0",
            "@0/1:17",
            "@1/0:0",
            "@-1/1:1",
            "@0/",
            "@/",
            "@",
            "@0/1:99999999999999999999",
            "@99999999999/1:1",
            "@0/1:1:1:1",
            "@0/m-AAAAAAAAAAAA:w:1");

    private static final List<String> CURSORS = List.of(
            "0",
            "1",
            "-1",
            "0:0",
            "0:-1",
            "0:1:0",
            "1:9007199254740993",
            "0:-9223372036854775808",
            "0:99999999999999999999",
            "0:1e308",
            "0:-1e308",
            "0:inf",
            "0:nan",
            "0:0x10",
            "0:(1",
            "0:[a",
            "0:+",
            "0:scheduled:1",
            " ",
            "0 ",
            "0 0",
            "1 x",
            "0 1:1",
            "0 18446744073709551615",
            "x 0",
            ":",
            "::::",
            "99:0",
            "2147483648:0");

    private static final List<String> LIMITS = List.of("0", "1", "2", "500", "501", "-1", "99999999999", "x", "");

    private static final List<String> STATES =
            List.of("active", "scheduled", "retry", "parked", "dead", "succeeded", "DEAD", "waiting", "x", "");

    private static final List<String> PARTITIONS = List.of("0", "1", "2", "-1", "00", "x", "", "9999999999");

    private static final List<String> BODIES = List.of(
            "",
            "null",
            "{}",
            "[]",
            "1",
            "{\"payload\": 1, \"payloadText\": \"x\"}",
            "{\"payloadBase64\": \"?\"}",
            "{\"delay\": \"soon\"}",
            "{\"delay\": \"PT1H\"}",
            "{\"maxAttempts\": -1}",
            "{\"timeout\": {}}",
            "{\"headers\": {\"" + "n".repeat(256) + "\": \"v\"}}",
            "{\"headers\": {\"" + "é".repeat(128) + "\": \"v\"}}",
            "{\"headers\": {\"\": null}}",
            "{\"headers\": []}",
            "{\"\\ud800\": 1}",
            "{\"a\\u0000b\\n\": 1}",
            "{\"id\": \"\\ud800\", \"key\": \"\\udfff\"}",
            "{\"id\": \"a\\nb\"}",
            "{\"key\": \"" + "k".repeat(300) + "\"}",
            "{\"key\": \"" + "k".repeat(1_025) + "\"}",
            "{\"type\": \"" + "t".repeat(201) + "\"}",
            "{\"type\": \"noop\", \"payload\": 1e999999999}",
            "{\"payload\": " + "[".repeat(497) + "]".repeat(497) + "}",
            "{\"payload\": " + "[".repeat(10_000) + "}",
            "{\"payloadText\": \"" + "x".repeat(FuzzMessages.MAX_PAYLOAD + 1) + "\"}",
            "{\"headers\": {" + manyHeaders(300) + "}}",
            "{\"headers\": {\"big\": \"" + "x".repeat(66_000) + "\"}}",
            "{\"headers\": {\"tandem-unreadable\": \"x\"}}");

    private static final List<String> CONTENT_TYPES = List.of(
            "application/json",
            "application/json;charset=utf-16",
            "text/plain",
            "application/octet-stream",
            "nonsense",
            "a/b; c",
            "*/*",
            "multipart/form-data",
            "multipart/form-data; boundary=x",
            "application/x-www-form-urlencoded");

    private final String server;
    private final List<String> queues;
    private final FuzzMessages random;

    FuzzRequests(String server, List<String> queues, long seed) {
        this.server = server;
        this.queues = queues;
        this.random = new FuzzMessages(seed);
    }

    /** Returns a request for each known-bad value of each place on these routes. */
    List<HttpRequest> knownBad(List<Route> routes) {
        List<HttpRequest> requests = new ArrayList<>();
        for (Route route : routes) {
            if (route.path().endsWith("/tasks") && route.method().equals("GET")) {
                for (String cursor : cursors()) {
                    for (String state : List.of("scheduled", "dead", "parked", "retry", "active", "succeeded")) {
                        requests.add(get(route, "?state=" + state + "&cursor=" + encoded(cursor)));
                    }
                }
            } else if (route.path().endsWith("/keys")) {
                cursors().forEach(cursor -> requests.add(get(route, "?cursor=" + encoded(cursor))));
            } else if (route.path().endsWith("/tasks")) {
                for (String body : BODIES) {
                    for (String queue : queues) {
                        requests.add(
                                post(filled(route, queue), "application/json", body.getBytes(StandardCharsets.UTF_8)));
                    }
                }
            }
        }
        return requests;
    }

    /** Returns cursors as they are, and in the clothes of real ones. */
    private static List<String> cursors() {
        List<String> cursors = new ArrayList<>(CURSORS);
        for (String cursor : CURSORS) {
            cursors.add(
                    Base64.getUrlEncoder().withoutPadding().encodeToString(cursor.getBytes(StandardCharsets.UTF_8)));
        }
        return cursors;
    }

    private HttpRequest get(Route route, String query) {
        return HttpRequest.newBuilder(URI.create(server + filled(route, queues.get(0)) + query))
                .GET()
                .build();
    }

    /** Returns a random request to this route. */
    HttpRequest random(Route route) {
        String path = filled(route, random.chance(6) ? random.text() : random.oneOf(queues));
        if (route.method().equals("POST") && random.chance(2)) {
            byte[] body = random.chance(2)
                    ? random.oneOf(BODIES).getBytes(StandardCharsets.UTF_8)
                    : ("{\"payload\": \"" + random.text() + "\"").getBytes(StandardCharsets.UTF_8);
            return post(path, random.oneOf(CONTENT_TYPES), body);
        }
        return HttpRequest.newBuilder(URI.create(server + path + query()))
                .method(route.method(), BodyPublishers.noBody())
                .build();
    }

    private HttpRequest post(String path, String contentType, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path))
                .header("Content-Type", contentType)
                .POST(BodyPublishers.ofByteArray(body));
        if (random.chance(3)) {
            String value = random.text().replaceAll("[^\\x20-\\x7e]", "?");
            request.header(random.oneOf(List.of("tandem-delay", "tandem-id", "tandem-key", "tandem-x")), value);
        }
        return request.build();
    }

    /** Fills the route's variables in. */
    private String filled(Route route, String queue) {
        Matcher variables = VARIABLE.matcher(route.path());
        return variables.replaceAll(variable -> Matcher.quoteReplacement(encoded(
                variable.group(1).equals("queue") ? queue : random.chance(2) ? random.oneOf(REFS) : random.text())));
    }

    private String query() {
        StringBuilder query = new StringBuilder("?");
        add(query, "state", random.oneOf(STATES));
        add(query, "partition", random.oneOf(PARTITIONS));
        add(query, "limit", random.oneOf(LIMITS));
        add(query, "cursor", random.chance(2) ? random.oneOf(CURSORS) : random.text());
        add(query, random.text(), random.text());
        return query.toString();
    }

    private void add(StringBuilder query, String name, String value) {
        if (random.chance(2)) {
            query.append(encoded(name)).append('=').append(encoded(value)).append('&');
        }
    }

    /** Percent-encodes the text, or bytes that are no text. An empty part of a path would name another route. */
    private static String encoded(String text) {
        return text.isEmpty() ? "%FF" : UrlText.queryValue(text);
    }

    private static String manyHeaders(int count) {
        StringBuilder headers = new StringBuilder();
        for (int i = 0; i < count; i++) {
            headers.append(i == 0 ? "" : ",").append("\"h").append(i).append("\": \"v\"");
        }
        return headers.toString();
    }
}
