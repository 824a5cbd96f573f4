package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Role;
import dev.tandem.server.access.TokenText;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * What somebody tries who wants to do more than the token permits: over raw connections, since a client of HTTP would not
 * send most of it. The routes are those that the server has, so that a new one is tried by itself.
 */
class IntruderTest {

    private static final String SCRIPT = "<script>alert(1)</script>";

    private static ConfigurableApplicationContext api;

    private record Route(String method, String path, boolean isFree, HandlerMethod handler) {}

    @BeforeAll
    static void start() {
        // Nobody asks the provider before a login. Its filters have paths of their own.
        String provider = "--spring.security.oauth2.client.registration.company.";
        api = ApiTestBase.run(
                "required",
                provider + "client-id=tandem",
                provider + "client-secret=secret",
                provider + "scope=openid",
                "--spring.security.oauth2.client.provider.company.issuer-uri=http://127.0.0.1:1",
                "--tandem.api.oidc.roles.admin=everybody");
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    @BeforeEach
    void reset() {
        ApiTestBase.forgetAll();
    }

    private static List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        api.getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
                .getHandlerMethods()
                .forEach((mapping, handler) -> mapping.getPatternValues().stream()
                        .filter(pattern -> pattern.startsWith("/api/"))
                        .forEach(pattern -> mapping.getMethodsCondition()
                                .getMethods()
                                .forEach(method -> routes.add(new Route(
                                        method.name(),
                                        pattern.replace("{queue}", "orders").replaceAll("\\{[a-zA-Z]+}", "some"),
                                        isFree(handler),
                                        handler)))));
        assertThat(routes).hasSizeGreaterThan(40);
        return routes;
    }

    /** Whether everybody with a token may use the route. */
    private static boolean isFree(HandlerMethod handler) {
        Needs needs = handler.getMethodAnnotation(Needs.class);
        Needs ofClass = handler.getBeanType().getAnnotation(Needs.class);
        Needs effective = needs == null ? ofClass : needs;
        return effective != null && effective.value().length == 0;
    }

    @Test
    void noRouteTakesAForgedExpiredOrRevokedToken() {
        String good = token(Role.ADMIN, null);
        String revoked = token(Role.ADMIN, null);
        ApiTestBase.TOKENS.revoke(revoked.split("_")[1]);
        String expired = token(Role.ADMIN, Instant.EPOCH.plusSeconds(1));
        String foreign =
                "tandem_" + good.split("_")[1] + "_" + TokenText.fresh().secret();
        for (Route route : routes()) {
            for (String credentials : List.of(
                    "",
                    "Authorization: Bearer " + foreign + "\r\n",
                    "Authorization: Bearer " + expired + "\r\n",
                    "Authorization: Bearer " + revoked + "\r\n",
                    "Authorization: Basic " + good + "\r\n",
                    "Cookie: tandem-session-" + port() + "=" + good + "\r\n",
                    "X-Forwarded-User: admin\r\nX-Forwarded-Groups: admin\r\n")) {
                Answer answer = send(route.method(), route.path(), credentials);
                assertThat(answer.status()).as(route + " " + credentials).isIn(401, 429);
                assertThat(answer.text()).doesNotContain(good.split("_", 3)[2]);
            }
        }
        assertThat(ApiTestBase.PLATFORM.changes).isEmpty();
    }

    @Test
    void noSpellingOfAPathLeadsAroundTheRole() {
        String viewer = "Authorization: Bearer " + token(Role.VIEWER, null) + "\r\n";
        for (Route route : routes()) {
            if (route.method().equals("GET") || route.isFree()) {
                continue;
            }
            for (String spelling : spellings(route.path())) {
                Answer answer = send(route.method(), spelling, viewer);
                assertThat(answer.status()).as(route.method() + " " + spelling).isIn(400, 403, 404, 405);
                assertThat(send(route.method(), spelling, "").status())
                        .as("nobody: " + route.method() + " " + spelling)
                        .isIn(400, 401);
            }
        }
        assertThat(ApiTestBase.PLATFORM.changes).isEmpty();
        assertThat(ApiTestBase.AUDIT.entries).isEmpty();
    }

    private static List<String> spellings(String path) {
        return List.of(
                path,
                path + "/",
                path + "/.",
                path + ";x=1",
                "/" + path,
                path.replace("/api/v1", "/api/v1/."),
                path.replace("/api/v1", "/api/v1/../v1"),
                path.replace("/api/v1", "/api/v1/%2e%2e/v1"),
                path.replace("/api/v1", "/actuator/health/../../api/v1"),
                path.replace("/api/v1", "/login/..%2fapi/v1"),
                path.replace("/api/v1", "/login/oauth2/code/company/../../../../api/v1"),
                path.replace("/api/v1", "/oauth2/authorization/..%2f..%2fapi/v1"),
                path.replace("/api/v1", "/oauth2/authorization/company;/../../../api/v1"),
                path.replace("/api/v1", "/api;x=y/v1"),
                path.replace("/api", "/%61pi"),
                path.replace("/api", "/API"),
                path.replace("/api/v1/", "/api/v1//"),
                path.replace("/api/v1/", "/api\\v1\\"),
                path + "%00",
                path + ".json",
                path + "?_method=GET",
                "http://127.0.0.1:" + port() + path);
    }

    @Test
    void noPageOfAnotherSiteAndNoReboundNameGetsThrough() {
        String admin = "Authorization: Bearer " + token(Role.ADMIN, null) + "\r\n";
        for (String headers : List.of(
                "Host: evil.example\r\n",
                "Host: evil.example:" + port() + "\r\n",
                "Host: localhost.evil.example\r\n",
                "Host: 127.0.0.1.evil.example\r\n",
                "Host: localhost\r\nOrigin: http://evil.example\r\n",
                "Host: localhost\r\nOrigin: null\r\n",
                "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
                "Host: localhost\r\nSec-Fetch-Site: same-site\r\n",
                "Host: localhost\r\nHost: evil.example\r\n",
                "Host: localhost\r\nX-Forwarded-Host: localhost\r\nOrigin: http://localhost:1\r\n")) {
            for (String path : List.of("/api/v1/queues", "/", "/login", "/actuator/health")) {
                Answer answer = raw("GET " + path + " HTTP/1.1\r\n" + headers + admin + "Connection: close\r\n\r\n");
                assertThat(answer.status()).as(path + " " + headers).isIn(400, 403);
            }
        }
    }

    /** The second request of each would be answered if the server saw two where a proxy before it sees one. */
    @Test
    void noRequestIsSmuggledInAnother() {
        SoftAssertions soft = new SoftAssertions();
        String admin = token(Role.ADMIN, null);
        String head = "POST /api/v1/queues/orders/resume HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + admin
                + "\r\n";
        String hidden = "POST /api/v1/queues/orders/pause HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + admin
                + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        for (String framing : List.of(
                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
                "Content-Length: 0\r\nContent-Length: " + hidden.length() + "\r\n\r\n",
                "Content-Length: 0, " + hidden.length() + "\r\n\r\n",
                "Content-Length: +0\r\n\r\n",
                "Content-Length: -1\r\n\r\n",
                "Content-Length: 0x0\r\n\r\n",
                "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
                "X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n0;x=\ny\r\n\r\n")) {
            ApiTestBase.PLATFORM.reset();
            Answer answer = raw(head + framing + hidden);
            soft.assertThat(ApiTestBase.PLATFORM.changes.toString()).as(framing).doesNotContain("pause");
            // What remains of a bad request may be refused once more, and ends the connection.
            String[] answers = answer.text().split("HTTP/1\\.1 ");
            soft.assertThat(answers).as(framing + answer.text()).hasSizeLessThanOrEqualTo(3);
            soft.assertThat(answers[answers.length - 1]).as(framing).containsPattern("^400 |^501 |Connection: close");
        }
        soft.assertAll();
    }

    @Test
    void noHeaderOfAnAnswerIsWrittenByAClient() {
        String admin = "Authorization: Bearer " + token(Role.ADMIN, null) + "\r\n";
        for (String path : List.of(
                "/login?next=%0d%0aSet-Cookie:%20x=y",
                "/api/v1/queues/a%0d%0aSet-Cookie:%20x=y",
                "/api/v1/queues/orders/tasks/a%0d%0aSet-Cookie:%20x=y",
                "/x%0d%0aSet-Cookie:%20x=y",
                "/api/v1/queues?a%0d%0aSet-Cookie:%20x=y=1")) {
            for (String credentials : List.of(admin, "Accept: text/html\r\n")) {
                Answer answer = send("GET", path, credentials);
                assertThat(answer.head()).as(path).doesNotContain("Set-Cookie: x=y");
            }
        }
    }

    @Test
    void hostileJsonIsRefusedAndTheServerGoesOn() {
        SoftAssertions soft = new SoftAssertions();
        String admin = token(Role.ADMIN, null);
        Map<String, String> bodies = new LinkedHashMap<>();
        bodies.put("depth", "[".repeat(500) + "]".repeat(500));
        bodies.put("deep objects", "{\"a\":".repeat(150) + "1" + "}".repeat(150));
        bodies.put("a number", "{\"payload\":1,\"priority\":" + "9".repeat(900) + "}");
        bodies.put("an exponent", "{\"payload\":1,\"priority\":1e999999999}");
        bodies.put("a long name", "{\"" + "n".repeat(900) + "\":1}");
        bodies.put("half", "{\"payload\":");
        bodies.put("no UTF-8", "{\"payload\":\"\\ud800\",\"priority\":{}}");
        bodies.put("twice", "{\"priority\":1,\"priority\":\"x\"}");
        bodies.put("a class", "{\"@class\":\"java.net.URL\",\"payload\":1}");
        bodies.put("too long", "\"" + "x".repeat(2_000_000) + "\"");
        bodies.forEach((name, body) -> {
            Answer answer = raw("POST /api/v1/queues/orders/tasks HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                    + admin + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
                    + body.length() + "\r\n\r\n" + body);
            // The server may close the connection while the client still writes what is too long.
            if (answer.status() != -1 || !name.equals("too long")) {
                soft.assertThat(answer.status()).as(name + answer.text()).isBetween(200, 499);
            }
            soft.assertThat(answer.text()).as(name).doesNotContain("Exception", "\tat ", "java.", "tools.jackson");
        });
        soft.assertAll();
        assertThat(send("GET", "/api/v1/queues", "Authorization: Bearer " + admin + "\r\n")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void hostileHeadersAreRefusedAndTheServerGoesOn() {
        String admin = "Authorization: Bearer " + token(Role.ADMIN, null) + "\r\n";
        Stream.of(
                        "X: y\r\n".repeat(100_000),
                        "X: " + "y".repeat(1_000_000) + "\r\n",
                        "Cookie: " + "a=b; ".repeat(2_000) + "\r\n",
                        "X\0: y\r\n",
                        ": y\r\n",
                        "X y\r\n")
                .forEach(headers -> assertThat(
                                send("GET", "/api/v1/queues", admin + headers).status())
                        .as(headers.substring(0, 5))
                        // -1: the connection was closed while the client still wrote
                        .isIn(400, 431, -1));
        assertThat(send("GET", "/api/v1/queues", admin).status()).isEqualTo(200);
    }

    /** Payloads, keys, ids and errors are anybody's words. A browser must never take them for a page. */
    @Test
    void whatOthersWroteIsNeverAPage() {
        String admin = "Authorization: Bearer " + token(Role.ADMIN, null) + "\r\nAccept: text/html\r\n";
        ApiTestBase.put(
                "0",
                "1:1",
                TaskState.DEAD,
                new Task(SCRIPT, "orders", SCRIPT, SCRIPT, ApiTestBase.bytes(SCRIPT), Map.of(), 0, 0, 0, 0, null));
        String encoded = URLEncoder.encode(SCRIPT, StandardCharsets.UTF_8);
        List<String> paths =
                new ArrayList<>(List.of("/login?next=" + encoded, "/login/link?code=" + encoded, "/" + encoded));
        for (Route route : routes()) {
            if (route.method().equals("GET")) {
                paths.add(route.path());
                paths.add(route.path().replace("some", encoded));
                paths.add(route.path() + "?" + encoded + "=" + encoded);
            }
        }
        for (String path : paths) {
            for (String credentials : List.of(admin, "Accept: text/html\r\n")) {
                Answer answer = send("GET", path, credentials);
                String head = answer.head().toLowerCase(Locale.ROOT);
                assertThat(answer.status()).as(path).isNotEqualTo(500);
                assertThat(head)
                        .as(path)
                        .contains("x-content-type-options: nosniff", "default-src 'none'", "cache-control: no-store");
                if (head.contains("text/html")) {
                    assertThat(answer.body()).as(path).doesNotContain(SCRIPT);
                } else if (!answer.body().isEmpty()) {
                    assertThat(head)
                            .as(path)
                            .containsPattern("content-type: (application/(problem\\+)?json|text/plain)|attachment");
                }
            }
        }
    }

    private record Answer(int status, String text) {

        String head() {
            int end = text.indexOf("\r\n\r\n");
            return end < 0 ? text : text.substring(0, end);
        }

        String body() {
            int end = text.indexOf("\r\n\r\n");
            return end < 0 ? "" : text.substring(end + 4);
        }
    }

    private static Answer send(String method, String path, String headers) {
        return raw(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers + "\r\n");
    }

    /** Sends bytes and returns all that comes back, until the server closes the connection. */
    private static Answer raw(String request) {
        try (Socket socket = new Socket("127.0.0.1", port())) {
            socket.setSoTimeout(20_000);
            try {
                socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
                socket.shutdownOutput();
                String text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                int status = text.startsWith("HTTP/1.1 ") ? Integer.parseInt(text.substring(9, 12)) : -1;
                return new Answer(status, text);
            } catch (SocketException e) {
                return new Answer(-1, "");
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static int port() {
        return ApiTestBase.port(api);
    }

    private static String token(Role role, Instant expires) {
        String text = ApiTestBase.TOKENS.token(role, expires);
        api.getBean(KnownTokens.class).renew();
        return text;
    }
}
