package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.access.Role;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Who may make which request. The routes are those that the server has, so that a new one is covered by itself. */
class ApiLoginTest {

    /** The latter if this machine has sent too many bad tokens lately. */
    private static final List<Integer> REFUSED = List.of(401, 429);

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static ConfigurableApplicationContext api;

    /** @param needs what a caller must be permitted, one of these; empty for nothing */
    private record Route(String method, String path, Set<Permission> needs) {}

    @BeforeAll
    static void start() {
        api = ApiTestBase.run("required");
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
                .forEach((mapping, method) -> mapping.getPatternValues().stream()
                        .filter(pattern -> pattern.startsWith("/api/"))
                        .forEach(pattern -> {
                            Set<RequestMethod> methods =
                                    mapping.getMethodsCondition().getMethods();
                            assertThat(methods).as(pattern).hasSize(1);
                            String verb = methods.iterator().next().name();
                            String path = pattern.replace("{queue}", "orders").replaceAll("\\{[a-zA-Z]+}", "some");
                            routes.add(new Route(verb, path, needs(verb, method)));
                        }));
        assertThat(routes).hasSizeGreaterThan(40);
        return routes;
    }

    private static Set<Permission> needs(String verb, HandlerMethod method) {
        Needs own = method.getMethodAnnotation(Needs.class);
        Needs needs = own == null && verb.equals("GET") ? method.getBeanType().getAnnotation(Needs.class) : own;
        assertThat(needs).as(method + " says what its callers need").isNotNull();
        return Set.of(needs.value());
    }

    @Test
    void withoutATokenNothingButHealthIsAnswered() {
        for (Route route : routes()) {
            assertThat(status(route, null)).as(route.toString()).isEqualTo(401);
        }
        for (String path :
                List.of("/actuator/prometheus", "/actuator", "/", "/api", "/error", "/api/v1/../v1/queues")) {
            assertThat(send("GET", path, null).statusCode()).as(path).isIn(400, 401);
        }
        assertThat(send("GET", "/actuator/health/liveness", null).statusCode()).isEqualTo(200);
        assertThat(ApiTestBase.PLATFORM.changes).isEmpty();
    }

    @Test
    void eachRoleMayDoWhatItIsFor() {
        for (Role role : Role.values()) {
            String token = token(role, null);
            for (Route route : routes()) {
                boolean permitted =
                        route.needs().isEmpty() || route.needs().stream().anyMatch(role::permits);
                int status = status(route, token);
                if (permitted) {
                    assertThat(status).as(role + " " + route).isNotIn(401, 403);
                } else {
                    assertThat(status).as(role + " " + route).isEqualTo(403);
                }
            }
        }
    }

    @Test
    void aCallerMayAskWhichMethodsThereAre() {
        String viewer = token(Role.VIEWER, null);

        HttpResponse<String> answer = send("OPTIONS", "/api/v1/queues", viewer);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Allow"))
                .hasValueSatisfying(allow -> assertThat(allow).contains("GET"));
        assertThat(send("OPTIONS", "/api/v1/queues", null).statusCode()).isEqualTo(401);
    }

    @Test
    void changesNeedMoreThanAViewer() {
        // A link to log in gives what the token gives.
        assertThat(routes().stream()
                        .filter(route -> !route.method().equals("GET"))
                        .filter(route -> !route.path().equals("/api/v1/login-links"))
                        .filter(route -> route.needs().isEmpty()
                                || route.needs().stream().anyMatch(Role.VIEWER::permits)))
                .isEmpty();
    }

    @Test
    void tokenOfAQueueIsGoodForNoOtherOne() {
        String token = token(Role.PUBLISHER, null, "mail");

        assertThat(send("POST", "/api/v1/queues/mail/tasks", token).statusCode())
                .isNotIn(401, 403);
        HttpResponse<String> refused = send("POST", "/api/v1/queues/orders/tasks", token);
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("for the queues mail, but not for 'orders'");
    }

    @Test
    void aWorkerMayOnlyPull() {
        String token = token(Role.WORKER, null, "exports");

        assertThat(send("POST", "/api/v1/queues/exports/pull/lease", token).statusCode())
                .isEqualTo(200);
        assertThat(send("GET", "/api/v1/queues/exports/pull/peek", token).statusCode())
                .isEqualTo(200);
        assertThat(send("POST", "/api/v1/queues/orders/pull/lease", token).statusCode())
                .isEqualTo(403);
        assertThat(send("GET", "/api/v1/queues/exports/tasks", token).statusCode())
                .isEqualTo(403);
        assertThat(send("POST", "/api/v1/queues/exports/tasks", token).statusCode())
                .isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Bearer nothing",
                "Bearer",
                "Basic YWRtaW46YWRtaW4=",
                "Bearer tandem_ABCDEFGHJKLM_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "Bearer tandem__"
            })
    void whatIsNoTokenIsRefused(String header) {
        HttpResponse<String> answer = send(request("GET", "/api/v1/queues").header("Authorization", header));

        assertThat(answer.statusCode()).isIn(REFUSED);
        assertThat(answer.body()).doesNotContain("AAAAAA").contains("remedy");
    }

    @Test
    void forgedExpiredAndRevokedTokensAreRefused() {
        String good = token(Role.ADMIN, null);
        String forged = good.substring(0, good.length() - 1) + (good.endsWith("A") ? "B" : "A");
        assertThat(status("/api/v1/queues", forged)).isIn(REFUSED);
        assertThat(status("/api/v1/queues", token(Role.ADMIN, Instant.EPOCH.plusSeconds(1))))
                .isIn(REFUSED);
        assertThat(status("/api/v1/queues", good)).isEqualTo(200);

        ApiTestBase.TOKENS.revoke(good.split("_")[1]);

        await().until(() -> status("/api/v1/queues", good) != 200);
    }

    /** A good token passes meanwhile, although it comes from the same address. */
    @Test
    void whoFailsTooOftenIsToldToWait() {
        String good = token(Role.VIEWER, null);
        int status = 0;
        for (int i = 0; i < 200 && status != 429; i++) {
            status = status("/api/v1/queues", "nonsense");
        }

        assertThat(status).isEqualTo(429);
        assertThat(status("/api/v1/queues", good)).isEqualTo(200);
    }

    /** A probe with an old token must not have a healthy server restarted. */
    @Test
    void aBadTokenIsNoReasonToDenyHealth() {
        assertThat(send("GET", "/actuator/health/liveness", "nonsense").statusCode())
                .isEqualTo(200);
        for (String path : List.of("/actuator/health/..%2fprometheus", "/actuator/health/x", "/actuator/health/")) {
            assertThat(send("GET", path, null).statusCode()).as(path).isEqualTo(401);
        }
    }

    @Test
    void healthTellsDetailsOnlyToThoseWhoMaySeeThem() {
        String viewer = token(Role.VIEWER, null);
        String publisher = token(Role.PUBLISHER, null);

        assertThat(send("GET", "/actuator/health", null).body()).doesNotContain("components");
        assertThat(send("GET", "/actuator/health", publisher).body()).doesNotContain("components");
        assertThat(send("GET", "/actuator/health", viewer).body()).contains("components");
    }

    @Test
    void everyChangeIsInTheAuditLogAlsoIfItIsRefused() {
        String operator = token(Role.OPERATOR, null);
        String viewer = token(Role.VIEWER, null);

        send("POST", "/api/v1/queues/orders/pause", operator);
        send("POST", "/api/v1/queues/orders/resume", viewer);

        await().until(() -> ApiTestBase.AUDIT.entries.size() + ApiTestBase.AUDIT.refused.size() == 2);
        AuditEntry paused = ApiTestBase.AUDIT.entries.get(0);
        assertThat(List.of(paused.who(), paused.role(), paused.action(), paused.subject(), paused.result()))
                .containsExactly("the operator", "operator", "pause", "queue orders", "done");
        assertThat(paused.from()).isEqualTo("127.0.0.1");
        assertThat(ApiTestBase.AUDIT.refused.get(0).status()).isEqualTo(403);
    }

    @Test
    void tokensAreCreatedOnceShownAndRevoked() {
        String admin = token(Role.ADMIN, null);

        HttpResponse<String> created =
                send("POST", "/api/v1/tokens?name=ci&role=publisher&queues=orders&expires=90d", admin);

        assertThat(created.statusCode()).isEqualTo(201);
        String token = created.body().replaceAll(".*\"token\":\"([^\"]+)\".*", "$1");
        assertThat(status("/api/v1/caller", token)).isEqualTo(200);
        assertThat(send("GET", "/api/v1/caller", token).body()).contains("\"ci\"", "publisher", "orders");
        assertThat(send("GET", "/api/v1/tokens", admin).body())
                .contains("\"ci\"", "the admin")
                .doesNotContain(token, "hash");
        assertThat(send("DELETE", "/api/v1/tokens/" + token.split("_")[1], admin)
                        .statusCode())
                .isEqualTo(202);
        await().until(() -> status("/api/v1/caller", token) != 200);
        assertThat(ApiTestBase.AUDIT.entries.toString()).doesNotContain(token);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "role=viewer",
                "name=x",
                "name=x&role=king",
                "name=x&role=viewer&queues=orders",
                "name=x&role=worker&queues=none",
                "name=x&role=viewer&expires=0s",
                "name=x&role=viewer&expires=never",
                "name=%00&role=viewer",
                "name=a%E2%80%AEb&role=viewer",
                "name=a%E2%80%A8b&role=viewer"
            })
    void wrongTokenIsNotCreated(String parameters) {
        String admin = token(Role.ADMIN, null);

        HttpResponse<String> answer = send("POST", "/api/v1/tokens?" + parameters, admin);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("remedy");
    }

    private static String token(Role role, @Nullable Instant expires, String... queues) {
        String text = ApiTestBase.TOKENS.token(role, expires, queues);
        api.getBean(KnownTokens.class).renew();
        return text;
    }

    private static int status(Route route, @Nullable String token) {
        return send(route.method(), route.path(), token).statusCode();
    }

    private static int status(String path, @Nullable String token) {
        return send("GET", path, token).statusCode();
    }

    private static HttpResponse<String> send(String method, String path, @Nullable String token) {
        HttpRequest.Builder request = request(method, path);
        Stream.ofNullable(token).forEach(text -> request.header("Authorization", "Bearer " + text));
        return send(request);
    }

    private static HttpRequest.Builder request(String method, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ApiTestBase.port(api) + path))
                .method(method, BodyPublishers.noBody());
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return HTTP.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
