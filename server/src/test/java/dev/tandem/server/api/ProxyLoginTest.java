package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.Role;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** A proxy in front of the API that says who calls, and programs that pretend to be one. */
class ProxyLoginTest {

    private static final String OF_PROXY = "--tandem.api.proxy.";

    private static ConfigurableApplicationContext behindProxy;
    private static ConfigurableApplicationContext elsewhere;

    @BeforeAll
    static void start() {
        String[] settings = {
            OF_PROXY + "user-header=Remote-User",
            OF_PROXY + "groups-header=Remote-Groups",
            OF_PROXY + "roles.viewer=people",
            OF_PROXY + "roles.operator=night shift",
            "--server.forward-headers-strategy=native"
        };
        behindProxy = ApiTestBase.run("required", with(settings, OF_PROXY + "addresses=127.0.0.0/8,::1"));
        elsewhere = ApiTestBase.run("required", with(settings, OF_PROXY + "addresses=10.0.0.0/8"));
    }

    private static String[] with(String[] settings, String more) {
        String[] all = java.util.Arrays.copyOf(settings, settings.length + 1);
        all[settings.length] = more;
        return all;
    }

    @AfterAll
    static void stop() {
        behindProxy.close();
        elsewhere.close();
    }

    @BeforeEach
    void reset() {
        ApiTestBase.forgetAll();
    }

    private static Browser browser(ConfigurableApplicationContext api) {
        return new Browser(ApiTestBase.port(api));
    }

    private static HttpRequest.Builder asAda(Browser browser, String path, String groups) {
        return browser.request(path).header("Remote-User", "ada").header("Remote-Groups", groups);
    }

    @Test
    void theUserOfTheProxyHasTheRoleOfItsGroups() {
        Browser browser = browser(behindProxy);

        browser.send(
                asAda(browser, "/api/v1/caller", "others, night shift ,people").GET());

        assertThat(browser.status()).isEqualTo(200);
        assertThat(browser.page.body()).contains("\"name\":\"ada\"", "\"role\":\"operator\"", "\"by\":\"proxy\"");
        assertThat(browser.send(asAda(browser, "/", "people").GET()).page.body())
                .contains("ada", "viewer");
    }

    /** The proxy knows the user by a cookie, which a browser sends by itself. */
    @Test
    void changesNeedTheProofOfAPage() {
        Browser browser = browser(behindProxy);
        browser.send(
                asAda(browser, "/api/v1/queues/orders/pause", "night shift").POST(BodyPublishers.noBody()));
        assertThat(browser.status()).isEqualTo(403);
        assertThat(ApiTestBase.PLATFORM.changes).isEmpty();

        browser.send(asAda(browser, "/login", "night shift").GET());
        browser.open("/login");
        browser.send(asAda(browser, "/api/v1/queues/orders/pause", "night shift")
                .header("X-CSRF-TOKEN", browser.proof())
                .POST(BodyPublishers.noBody()));

        assertThat(browser.status()).isEqualTo(202);
        assertThat(ApiTestBase.AUDIT.entries)
                .extracting(entry -> entry.who() + " " + entry.by())
                .containsExactly("ada proxy");
    }

    @Test
    void whoIsInNoGroupThatHasARoleIsToldSo() {
        Browser browser = browser(behindProxy);

        browser.send(asAda(browser, "/api/v1/queues", "others").GET());
        assertThat(browser.status()).isEqualTo(403);
        browser.send(asAda(browser, "/", "others").GET());
        assertThat(browser.page.body()).contains("has no role here");
        browser.send(
                browser.request("/api/v1/queues").header("Remote-User", "ada").GET());
        assertThat(browser.status()).isEqualTo(403);
    }

    @Test
    void theHeadersOfEverybodyElseMeanNothing() {
        Browser browser = browser(elsewhere);

        browser.send(asAda(browser, "/api/v1/queues", "people").GET());
        assertThat(browser.status()).isEqualTo(401);
        // The address that a header tells is that of the client in logs, and it is no proof.
        browser.send(asAda(browser, "/api/v1/queues", "people")
                .header("X-Forwarded-For", "10.0.0.5")
                .GET());
        assertThat(browser.status()).isEqualTo(401);
    }

    @Test
    void whatAClientAddsToTheHeadersOfTheProxyIsNotBelieved() {
        Browser browser = browser(behindProxy);

        browser.send(asAda(browser, "/api/v1/queues", "people")
                .header("Remote-User", "eve")
                .GET());
        assertThat(browser.status()).isEqualTo(401);
        browser.send(asAda(browser, "/api/v1/queues", "others")
                .header("Remote-Groups", "people")
                .GET());
        assertThat(browser.status()).isEqualTo(403);
    }

    @Test
    void aTokenCountsMoreThanTheProxy() {
        Browser browser = browser(behindProxy);
        String admin = ApiTestBase.TOKENS.token(Role.ADMIN, null);

        browser.send(asAda(browser, "/api/v1/caller", "people")
                .header("Authorization", "Bearer " + admin)
                .GET());
        assertThat(browser.page.body()).contains("\"role\":\"admin\"");
        browser.send(asAda(browser, "/api/v1/caller", "people")
                .header("Authorization", "Bearer x")
                .GET());
        assertThat(browser.status()).isEqualTo(401);
        browser.post("/login", Map.of("token", admin));
        assertThat(browser.status()).as("the login without a proof").isEqualTo(403);
    }
}
