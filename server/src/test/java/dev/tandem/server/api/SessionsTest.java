package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Role;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** The sessions of browsers: how they begin, what they may do, and how they end. */
class SessionsTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Pattern PROOF = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"");
    private static ConfigurableApplicationContext api;

    /** A browser with its cookies. It shows pages, and sends what their forms have. */
    private static final class Browser {

        private final Map<String, String> cookies = new TreeMap<>();
        private HttpResponse<String> page;

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
            HttpRequest.Builder request = HttpRequest.newBuilder(url(path)).header("Accept", "text/html,*/*;q=0.8");
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
            return cookies.getOrDefault("tandem-session-" + ApiTestBase.port(api), "");
        }
    }

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
        ApiTestBase.TOKENS.reset();
        ApiTestBase.AUDIT.reset();
        ApiTestBase.PLATFORM.reset();
    }

    @Test
    void aBrowserIsLedToTheLoginAndThenToWhereItWanted() {
        Browser browser = new Browser().open("/");
        assertThat(browser.status()).isEqualTo(303);
        assertThat(browser.location()).isEqualTo("/login");
        browser.open("/a/b?x=1");
        assertThat(browser.location()).isEqualTo("/login?next=%2Fa%2Fb%3Fx%3D1");

        browser.open(browser.location());
        assertThat(browser.page.body()).contains("<label for=\"token\">", "value=\"/a/b?x=1\"");
        browser.submit("/login", Map.of("token", token(Role.OPERATOR), "next", "/a/b?x=1"));

        assertThat(browser.status()).isEqualTo(303);
        assertThat(browser.location()).isEqualTo("/a/b?x=1");
        assertThat(browser.open("/").page.body()).contains("the operator", "Log out");
        assertThat(browser.open("/login").location()).isEqualTo("/");
        assertThat(browser.open("/api/v1/caller").page.body()).contains("\"by\":\"session\"", "\"role\":\"operator\"");
    }

    @Test
    void theCookieIsKeptFromScriptsAndOtherSites() {
        Browser browser = new Browser().logIn(token(Role.VIEWER));

        String cookie = browser.page.headers().allValues("Set-Cookie").get(0);
        assertThat(cookie)
                .contains("HttpOnly", "SameSite=Strict", "Path=/")
                .doesNotContain("Domain", "Max-Age", "Expires");
    }

    @Test
    void pagesPermitNoScriptsAndNoFrames() {
        Browser browser = new Browser().open("/login");

        assertThat(browser.page.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy)
                        .contains("default-src 'none'", "frame-ancestors 'none'", "form-action 'self'")
                        .doesNotContain("script-src", "unsafe"));
        assertThat(browser.page.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(browser.page.headers().firstValue("Content-Type")).hasValue("text/html;charset=UTF-8");
        assertThat(browser.page.body()).doesNotContain("<script", "javascript:");
    }

    @Test
    void eachLoginHasANewSecretAndEndsTheSessionBefore() {
        Browser browser = new Browser();
        browser.cookies.put("tandem-session-" + ApiTestBase.port(api), "A".repeat(43));
        browser.logIn(token(Role.VIEWER));
        String first = browser.session();
        assertThat(first).hasSize(43).isNotEqualTo("A".repeat(43));

        browser.open("/").submit("/login", Map.of("token", token(Role.VIEWER)));

        assertThat(browser.session()).isNotEqualTo(first);
        Browser thief = new Browser();
        thief.cookies.put("tandem-session-" + ApiTestBase.port(api), first);
        assertThat(thief.open("/api/v1/caller").status()).isEqualTo(401);
    }

    @Test
    void theSessionEndsWithItsToken() {
        String token = token(Role.VIEWER);
        Browser browser = new Browser().logIn(token);
        assertThat(browser.open("/api/v1/queues").status()).isEqualTo(200);

        ApiTestBase.TOKENS.revoke(token.split("_")[1]);
        api.getBean(KnownTokens.class).renew();

        assertThat(browser.open("/api/v1/queues").status()).isEqualTo(401);
        assertThat(browser.open("/").location()).isEqualTo("/login");
    }

    @Test
    void theSessionHasTheRightsOfItsTokenOnly() {
        Browser browser = new Browser().logIn(token(Role.VIEWER)).open("/");

        browser.submit("/api/v1/queues/orders/pause", Map.of());

        assertThat(browser.status()).isEqualTo(403);
        assertThat(browser.page.body()).contains("which does not permit this request");
    }

    @Test
    void whoLogsOutIsOut() {
        Browser browser = new Browser().logIn(token(Role.VIEWER));
        String secret = browser.session();

        browser.open("/").submit("/logout", Map.of());

        assertThat(browser.location()).isEqualTo("/login");
        assertThat(browser.session()).isEmpty();
        browser.cookies.put("tandem-session-" + ApiTestBase.port(api), secret);
        assertThat(browser.open("/api/v1/caller").status()).isEqualTo(401);
        assertThat(ApiTestBase.AUDIT.entries)
                .extracting(entry -> entry.action() + " " + entry.who() + " " + entry.by())
                .containsExactly("login the viewer session", "logout the viewer session");
    }

    @Test
    void changesByCookieNeedTheProofOfAPage() {
        Browser browser = new Browser().logIn(token(Role.OPERATOR)).open("/");

        browser.post("/api/v1/queues/orders/pause", Map.of());
        assertThat(browser.status()).isEqualTo(403);
        browser.post("/logout", Map.of("_csrf", "x"));
        assertThat(browser.status()).isEqualTo(403);
        browser.post("/api/v1/queues/orders/pause", Map.of("_csrf", proofOf(new Browser().logIn(token(Role.ADMIN)))));
        assertThat(browser.status()).as("the proof of another session").isEqualTo(403);
        assertThat(ApiTestBase.PLATFORM.changes).isEmpty();

        browser.open("/").submit("/api/v1/queues/orders/pause", Map.of());
        assertThat(browser.status()).isEqualTo(202);
        browser.open("/");
        browser.send(browser.request("/api/v1/queues/orders/resume")
                .header("X-CSRF-TOKEN", proofOf(browser))
                .POST(BodyPublishers.noBody()));
        assertThat(browser.status()).isEqualTo(202);
    }

    /** Otherwise another site could log a browser in as somebody else. */
    @Test
    void theLoginNeedsTheProofOfItsPage() {
        String token = token(Role.VIEWER);
        for (String path : new String[] {"/login", "/login;x=1", "//login", "/login/"}) {
            Browser browser = new Browser().post(path, Map.of("token", token));
            assertThat(browser.status()).as(path).isIn(400, 401, 403);
            assertThat(browser.session()).isEmpty();
        }
        Browser crossSite = new Browser().open("/login");
        crossSite.send(crossSite
                .request("/login")
                .header("Sec-Fetch-Site", "cross-site")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("token=" + token + "&_csrf=" + proofOf(crossSite))));
        assertThat(crossSite.status()).isEqualTo(403);
    }

    @Test
    void aTokenInTheHeaderNeedsNoProofAndCountsMoreThanTheCookie() {
        Browser browser = new Browser().logIn(token(Role.VIEWER));

        browser.send(browser.request("/api/v1/queues/orders/pause")
                .header("Authorization", "Bearer " + token(Role.OPERATOR))
                .POST(BodyPublishers.noBody()));
        assertThat(browser.status()).isEqualTo(202);
        browser.send(browser.request("/api/v1/queues")
                .header("Authorization", "Bearer x")
                .GET());
        assertThat(browser.status()).isIn(401, 429);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//evil.example",
                "/\\evil.example",
                "https://evil.example",
                "javascript:alert(1)",
                "/a\r\nSet-Cookie: x=y",
                "/<b>"
            })
    void theLoginLeadsToNoOtherSite(String next) {
        Browser browser = new Browser().open("/login?next=" + URLEncoder.encode(next, StandardCharsets.UTF_8));
        assertThat(browser.page.body()).doesNotContain("evil.example", "<b>", "alert(1)");

        browser.submit("/login", Map.of("token", token(Role.VIEWER), "next", next));

        assertThat(browser.location()).isEqualTo("/");
    }

    @Test
    void badTokensAreCountedAndShownNoWhere() {
        Browser browser = new Browser().open("/login");
        String last = "";
        for (int i = 0; i < 40 && browser.status() != 429; i++) {
            browser.submit("/login", Map.of("token", "<script>secret" + i));
            assertThat(browser.status()).isIn(401, 429);
            last = browser.page.body();
        }

        assertThat(browser.status()).isEqualTo(429);
        assertThat(last).contains("role=\"alert\"").doesNotContain("secret", "<script>");
        browser.submit("/login", Map.of("token", token(Role.VIEWER)));
        assertThat(browser.status()).as("a good token is accepted meanwhile").isEqualTo(303);
    }

    @Test
    void aLinkOfTheCommandLineIsGoodOnce() {
        Browser maker = new Browser();
        maker.send(maker.request("/api/v1/login-links")
                .header("Authorization", "Bearer " + token(Role.OPERATOR))
                .POST(BodyPublishers.noBody()));
        assertThat(maker.status()).isEqualTo(201);
        String path = maker.page.body().replaceAll(".*\"path\":\"([^\"]+)\".*", "$1");
        String code = path.replaceAll(".*code=", "");

        Browser browser = new Browser().open(path);
        assertThat(browser.session())
                .as("a program that opens links spends nothing")
                .isEmpty();
        browser.submit("/login", Map.of("code", code));
        assertThat(browser.open("/").page.body()).contains("the operator");

        Browser second = new Browser().open(path);
        assertThat(second.submit("/login", Map.of("code", code)).status()).isIn(401, 429);
        browser.open("/").submit("/api/v1/login-links", Map.of());
        assertThat(browser.status()).as("a session makes no further ones").isEqualTo(403);
    }

    @Test
    void aLinkOfAnotherSiteOpensPagesAndNothingElse() {
        Browser browser = new Browser().logIn(token(Role.VIEWER));
        for (String path : new String[] {"/", "/api/v1/queues", "/actuator/health"}) {
            browser.send(browser.request(path)
                    .header("Sec-Fetch-Site", "cross-site")
                    .header("Sec-Fetch-Mode", "navigate")
                    .header("Sec-Fetch-Dest", "document")
                    .GET());
            assertThat(browser.status()).as(path).isEqualTo(path.equals("/") ? 200 : 403);
        }
    }

    private static String proofOf(Browser browser) {
        Matcher proof = PROOF.matcher(browser.page.body());
        return proof.find() ? proof.group(1) : proofOf(browser.open("/"));
    }

    private static URI url(String path) {
        return URI.create("http://127.0.0.1:" + ApiTestBase.port(api) + path);
    }

    private static String token(Role role) {
        String text = ApiTestBase.TOKENS.token(role, null);
        api.getBean(KnownTokens.class).renew();
        return text;
    }
}
