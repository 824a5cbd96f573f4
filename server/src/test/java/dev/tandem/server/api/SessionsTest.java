package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Role;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** The sessions of browsers: how they begin, what they may do, and how they end. */
class SessionsTest {

    private static ConfigurableApplicationContext api;

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

    @Test
    void aBrowserIsLedToTheLoginAndThenToWhereItWanted() {
        Browser browser = browser().open("/");
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
        Browser browser = browser().logIn(token(Role.VIEWER));

        String cookie = browser.page.headers().allValues("Set-Cookie").get(0);
        assertThat(cookie)
                .contains("HttpOnly", "SameSite=Strict", "Path=/")
                .doesNotContain("Domain", "Max-Age", "Expires");
    }

    @Test
    void pagesPermitNoScriptsAndNoFrames() {
        Browser browser = browser().open("/login");

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
        Browser browser = browser();
        browser.steal("A".repeat(43));
        browser.logIn(token(Role.VIEWER));
        String first = browser.session();
        assertThat(first).hasSize(43).isNotEqualTo("A".repeat(43));

        browser.open("/").submit("/login", Map.of("token", token(Role.VIEWER)));

        assertThat(browser.session()).isNotEqualTo(first);
        Browser thief = browser();
        thief.steal(first);
        assertThat(thief.open("/api/v1/caller").status()).isEqualTo(401);
    }

    @Test
    void theSessionEndsWithItsToken() {
        String token = token(Role.VIEWER);
        Browser browser = browser().logIn(token);
        assertThat(browser.open("/api/v1/queues").status()).isEqualTo(200);

        ApiTestBase.TOKENS.revoke(token.split("_")[1]);
        api.getBean(KnownTokens.class).renew();

        assertThat(browser.open("/api/v1/queues").status()).isEqualTo(401);
        assertThat(browser.open("/").location()).isEqualTo("/login");
    }

    @Test
    void theSessionHasTheRightsOfItsTokenOnly() {
        Browser browser = browser().logIn(token(Role.VIEWER)).open("/");

        browser.submit("/api/v1/queues/orders/pause", Map.of());

        assertThat(browser.status()).isEqualTo(403);
        assertThat(browser.page.body()).contains("which does not permit this request");
    }

    @Test
    void whoLogsOutIsOut() {
        Browser browser = browser().logIn(token(Role.VIEWER));
        String secret = browser.session();

        browser.open("/").submit("/logout", Map.of());

        assertThat(browser.location()).isEqualTo("/login");
        assertThat(browser.session()).isEmpty();
        browser.steal(secret);
        assertThat(browser.open("/api/v1/caller").status()).isEqualTo(401);
        assertThat(ApiTestBase.AUDIT.logins)
                .extracting(entry -> entry.action() + " " + entry.who() + " " + entry.by())
                .containsExactly("login the viewer session", "logout the viewer session");
    }

    /** Otherwise the least of tokens could push what others changed out of the audit log. */
    @Test
    void noLoginNorLogoutIsAmongTheChanges() {
        String token = token(Role.VIEWER);
        Browser browser = browser();
        for (String path : List.of("/logout", "/api/v1/login-links")) {
            browser.send(browser.request(path)
                    .header("Authorization", "Bearer " + token)
                    .POST(BodyPublishers.noBody()));
            assertThat(browser.status()).as(path).isLessThan(400);
        }
        browser().logIn(token).open("/").submit("/logout", Map.of());

        await().until(() -> ApiTestBase.AUDIT.logins.size() == 2);
        assertThat(ApiTestBase.AUDIT.logins)
                .extracting(AuditEntry::action)
                .as("the logout of no session is not there")
                .containsExactly("login", "logout");
        assertThat(ApiTestBase.AUDIT.loginLinks)
                .as("whoever makes links again and again pushes out no login")
                .extracting(AuditEntry::action)
                .containsExactly("create");
        assertThat(ApiTestBase.AUDIT.entries).isEmpty();
    }

    @Test
    void changesByCookieNeedTheProofOfAPage() {
        Browser browser = browser().logIn(token(Role.OPERATOR)).open("/");

        browser.post("/api/v1/queues/orders/pause", Map.of());
        assertThat(browser.status()).isEqualTo(403);
        browser.post("/logout", Map.of("_csrf", "x"));
        assertThat(browser.status()).isEqualTo(403);
        browser.post(
                "/api/v1/queues/orders/pause",
                Map.of("_csrf", browser().logIn(token(Role.ADMIN)).proof()));
        assertThat(browser.status()).as("the proof of another session").isEqualTo(403);
        assertThat(ApiTestBase.PLATFORM.changes).isEmpty();

        browser.open("/").submit("/api/v1/queues/orders/pause", Map.of());
        assertThat(browser.status()).isEqualTo(202);
        browser.open("/");
        browser.send(browser.request("/api/v1/queues/orders/resume")
                .header("X-CSRF-TOKEN", browser.proof())
                .POST(BodyPublishers.noBody()));
        assertThat(browser.status()).isEqualTo(202);
    }

    /** Otherwise another site could log a browser in as somebody else. */
    @Test
    void theLoginNeedsTheProofOfItsPage() {
        String token = token(Role.VIEWER);
        for (String path : new String[] {"/login", "/login;x=1", "//login", "/login/"}) {
            Browser browser = browser().post(path, Map.of("token", token));
            assertThat(browser.status()).as(path).isIn(400, 401, 403);
            assertThat(browser.session()).isEmpty();
        }
        Browser crossSite = browser().open("/login");
        crossSite.send(crossSite
                .request("/login")
                .header("Sec-Fetch-Site", "cross-site")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("token=" + token + "&_csrf=" + crossSite.proof())));
        assertThat(crossSite.status()).isEqualTo(403);
    }

    @Test
    void aTokenInTheHeaderNeedsNoProofAndCountsMoreThanTheCookie() {
        Browser browser = browser().logIn(token(Role.VIEWER));

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
        Browser browser = browser().open("/login?next=" + URLEncoder.encode(next, StandardCharsets.UTF_8));
        assertThat(browser.page.body()).doesNotContain("evil.example", "<b>", "alert(1)");

        browser.submit("/login", Map.of("token", token(Role.VIEWER), "next", next));

        assertThat(browser.location()).isEqualTo("/");
    }

    @Test
    void badTokensAreCountedAndShownNoWhere() {
        Browser browser = browser().open("/login");
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
        Browser maker = browser();
        maker.send(maker.request("/api/v1/login-links")
                .header("Authorization", "Bearer " + token(Role.OPERATOR))
                .POST(BodyPublishers.noBody()));
        assertThat(maker.status()).isEqualTo(201);
        String path = maker.page.body().replaceAll(".*\"path\":\"([^\"]+)\".*", "$1");
        String code = path.replaceAll(".*code=", "");

        Browser browser = browser().open(path);
        assertThat(browser.session())
                .as("a program that opens links spends nothing")
                .isEmpty();
        browser.submit("/login", Map.of("code", code));
        assertThat(browser.open("/").page.body()).contains("the operator");

        Browser second = browser().open(path);
        assertThat(second.submit("/login", Map.of("code", code)).status()).isIn(401, 429);
        browser.open("/").submit("/api/v1/login-links", Map.of());
        assertThat(browser.status()).as("a session makes no further ones").isEqualTo(403);
    }

    @Test
    void aLinkOfAnotherSiteOpensPagesAndNothingElse() {
        Browser browser = browser().logIn(token(Role.VIEWER));
        for (String path : new String[] {"/", "/api/v1/queues", "/actuator/health"}) {
            browser.send(browser.request(path)
                    .header("Sec-Fetch-Site", "cross-site")
                    .header("Sec-Fetch-Mode", "navigate")
                    .header("Sec-Fetch-Dest", "document")
                    .GET());
            assertThat(browser.status()).as(path).isEqualTo(path.equals("/") ? 200 : 403);
        }
    }

    private static Browser browser() {
        return new Browser(ApiTestBase.port(api));
    }

    private static String token(Role role) {
        String text = ApiTestBase.TOKENS.token(role, null);
        api.getBean(KnownTokens.class).renew();
        return text;
    }
}
