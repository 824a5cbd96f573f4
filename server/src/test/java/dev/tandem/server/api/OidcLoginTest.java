package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** The login by OpenID Connect, at a provider in this process. */
class OidcLoginTest {

    private static TestProvider provider;
    private static ConfigurableApplicationContext api;

    @BeforeAll
    static void start() throws Exception {
        provider = new TestProvider();
        String registration = "--spring.security.oauth2.client.registration.company.";
        String settings = "--spring.security.oauth2.client.provider.company.";
        api = ApiTestBase.run(
                "required",
                registration + "client-id=" + TestProvider.CLIENT,
                registration + "client-secret=" + TestProvider.SECRET,
                registration + "client-name=The company",
                registration + "scope=openid,profile",
                settings + "issuer-uri=" + provider.issuer(),
                settings + "user-name-attribute=preferred_username",
                "--tandem.api.oidc.roles-claim=realm_access.roles",
                "--tandem.api.oidc.roles.viewer=people",
                "--tandem.api.oidc.roles.operator=night-shift,day shift");
    }

    @AfterAll
    static void stop() {
        api.close();
        provider.close();
    }

    @BeforeEach
    void reset() {
        ApiTestBase.AUDIT.reset();
        ApiTestBase.PLATFORM.reset();
        provider.user = "ada";
        provider.claims = groups("people", "day shift");
        provider.otherKey = null;
        provider.otherNonce = null;
        provider.audience = TestProvider.CLIENT;
    }

    private static Map<String, Object> groups(String... groups) {
        return Map.of("realm_access", Map.of("roles", List.of(groups)));
    }

    private static Browser browser() {
        return new Browser(ApiTestBase.port(api));
    }

    /** Goes to the provider and comes back with its answer, which the server has not seen yet. */
    private static String answerFor(Browser browser) {
        browser.open("/login");
        assertThat(browser.page.body()).contains("Log in with The company", "/oauth2/authorization/company");
        browser.open("/oauth2/authorization/company");
        assertThat(browser.location()).startsWith(provider.issuer()).contains("code_challenge", "nonce", "state");
        return new Browser(0).open(browser.location()).location();
    }

    /** Opens an address as a browser does that comes from the page of another site. */
    private static Browser comeBack(Browser browser, String address) {
        return browser.send(browser.request(address)
                .header("Sec-Fetch-Site", "cross-site")
                .header("Sec-Fetch-Mode", "navigate")
                .header("Sec-Fetch-Dest", "document")
                .GET());
    }

    private static Browser logIn() {
        Browser browser = browser();
        return comeBack(browser, answerFor(browser));
    }

    @Test
    void aUserOfTheProviderHasTheRoleOfItsGroups() {
        Browser browser = logIn();

        assertThat(browser.location()).isEqualTo("/");
        assertThat(browser.page.headers().allValues("Set-Cookie"))
                .allSatisfy(cookie -> assertThat(cookie).contains("HttpOnly", "SameSite=Lax"));
        assertThat(comeBack(browser, "/").page.body()).contains("ada", "operator", "Log out");
        assertThat(browser.open("/api/v1/caller").page.body())
                .contains("\"name\":\"ada\"", "\"role\":\"operator\"", "\"by\":\"oidc\"");
        browser.post("/api/v1/queues/orders/pause", Map.of());
        assertThat(browser.status()).as("without the proof of a page").isEqualTo(403);
        browser.open("/").submit("/api/v1/queues/orders/pause", Map.of());
        assertThat(browser.status()).isEqualTo(202);
        browser.open("/").submit("/logout", Map.of());
        assertThat(browser.open("/api/v1/caller").status()).isEqualTo(401);
        assertThat(ApiTestBase.AUDIT.entries)
                .extracting(entry -> entry.action() + " by " + entry.who() + " by " + entry.by())
                .containsExactly("pause by ada by oidc");
        assertThat(ApiTestBase.AUDIT.logins)
                .extracting(entry -> entry.action() + " by " + entry.who() + " by " + entry.by())
                .contains("login by ada by oidc", "logout by ada by oidc");
    }

    /** The filters of these paths know them by other means than routes do. */
    @Test
    void noSpellingOfTheirPathsLeadsAroundWhatBoundsThem() {
        for (String path : List.of("/oauth2/authorization/company", "/login/oauth2/code/company")) {
            for (String spelling : List.of(
                    path + "/",
                    path + "/.",
                    path + ";x=1",
                    path + "%00",
                    path + "%2f",
                    "/" + path,
                    "/x/.." + path,
                    "/%2e" + path,
                    path.replace("oauth2", "OAUTH2"),
                    path.replace("oauth2", "%6fauth2"),
                    path.replace("/company", "//company"),
                    path.replace("/company", "/other"))) {
                for (String method : List.of("GET", "POST", "HEAD", "PUT")) {
                    String answer = raw(method, spelling);
                    assertThat(answer).as(method + " " + spelling).doesNotContain("tandem-session");
                    assertThat(answer.isEmpty() ? "HTTP/1.1 400" : answer.substring(0, 12))
                            .as(method + " " + spelling)
                            .isIn(
                                    "HTTP/1.1 302",
                                    "HTTP/1.1 303",
                                    "HTTP/1.1 400",
                                    "HTTP/1.1 401",
                                    "HTTP/1.1 403",
                                    "HTTP/1.1 404",
                                    "HTTP/1.1 405");
                }
            }
        }
        assertThat(ApiTestBase.AUDIT.logins).isEmpty();
    }

    private static String raw(String method, String path) {
        try (Socket socket = new Socket("127.0.0.1", ApiTestBase.port(api))) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write((method + " " + path + "?code=x&state=y HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                    + "Content-Length: 0\r\n\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whoIsInNoGroupThatHasARoleDoesNotGetIn() {
        for (Map<String, Object> claims : List.of(
                groups("others", "PEOPLE", "people,admin"),
                Map.<String, Object>of(),
                Map.<String, Object>of("realm_access", "people"),
                Map.<String, Object>of("realm_access", List.of("people")),
                Map.<String, Object>of("groups", List.of("people")))) {
            provider.claims = claims;
            provider.user = "<script>eve";
            Browser browser = logIn();

            assertThat(browser.status()).as(claims.toString()).isEqualTo(403);
            assertThat(browser.session()).isEmpty();
            assertThat(browser.page.body()).contains("has no role", "&lt;script&gt;eve");
        }
        assertThat(ApiTestBase.AUDIT.entries).isEmpty();
    }

    @Test
    void tokensOfAnotherSignerForAnotherClientOrAnotherLoginAreRefused() throws Exception {
        provider.otherKey = TestProvider.newKey();
        assertThat(logIn().status()).as("signer").isEqualTo(401);
        provider.otherKey = null;
        provider.audience = "another client";
        assertThat(logIn().status()).as("client").isEqualTo(401);
        provider.audience = TestProvider.CLIENT;
        provider.otherNonce = "another nonce";
        assertThat(logIn().status()).as("login").isEqualTo(401);
        provider.otherNonce = null;
        assertThat(logIn().status()).isEqualTo(303);
    }

    /** Otherwise another site could log a browser in as somebody else. */
    @Test
    void onlyTheBrowserThatBeganALoginEndsIt() {
        Browser thief = browser();
        String answer = answerFor(thief);

        assertThat(comeBack(browser(), answer).status()).isEqualTo(401);
        Browser victim = browser().open("/login");
        assertThat(comeBack(victim, answer).status()).isEqualTo(401);
        assertThat(victim.session()).isEmpty();
        assertThat(comeBack(thief, answer).status()).isEqualTo(303);
        assertThat(comeBack(thief, answer).status()).as("once").isEqualTo(401);
    }

    @Test
    void anAnswerThatNobodyAskedForIsRefused() {
        for (String query : List.of("?code=x&state=y", "?code=x", "?error=%3Cscript%3E&state=y", "")) {
            Browser browser = comeBack(browser(), "/login/oauth2/code/company" + query);

            assertThat(browser.status()).as(query).isIn(401, 303);
            assertThat(browser.session()).isEmpty();
            assertThat(browser.page.body()).doesNotContain("<script>");
        }
    }

    /** A thread that waited for a form of somebody who has not logged in could be held for long. */
    @Test
    void noSpellingOfTheLoginTakesABody() throws Exception {
        for (String path : List.of(
                "/login/oauth2/code/company",
                "/login/%6Fauth2/code/company",
                "/login/oauth2;a=b/code/company",
                "/login/oauth2/%63ode/company",
                "/oauth2/authorization/company",
                "/%6Fauth2/authorization/company",
                "/oauth2;a=b/authorization/company")) {
            for (String method : List.of("POST", "PUT")) {
                try (Socket socket = new Socket("127.0.0.1", ApiTestBase.port(api))) {
                    socket.setSoTimeout(5_000);
                    socket.getOutputStream()
                            .write(ApiTestBase.bytes(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n"
                                    + "Content-Type: application/x-www-form-urlencoded\r\n"
                                    + "Content-Length: 1000\r\n\r\nx"));
                    String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

                    assertThat(answer).as(method + " " + path).startsWith("HTTP/1.1 405");
                }
            }
        }
    }

    @Test
    void eachLoginHasANewSecret() {
        Browser browser = browser().steal("A".repeat(43));
        comeBack(browser, answerFor(browser));
        String first = browser.session();
        assertThat(first).hasSize(43).isNotEqualTo("A".repeat(43));
        browser.cookies.remove("tandem-session-" + ApiTestBase.port(api));

        comeBack(browser, answerFor(browser));

        assertThat(browser.session()).isNotEqualTo(first);
    }
}
