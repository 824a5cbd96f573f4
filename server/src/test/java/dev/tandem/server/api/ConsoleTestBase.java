package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Role;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the API and the console, with a login. */
abstract class ConsoleTestBase {

    /** A text that would be a script of a page, or an attribute. */
    static final String SCRIPT = "<script>alert('x')</script>\"x=";

    private static final Pattern BROKEN_OUT = Pattern.compile("<[a-z][^<>]*\"x=");

    static ConfigurableApplicationContext api;

    /** Starts the API at the first class of tests. The others share it. */
    @BeforeAll
    static void start() {
        if (api == null) {
            api = ApiTestBase.run("required");
        }
    }

    @BeforeEach
    void reset() {
        ApiTestBase.forgetAll();
    }

    static Browser loggedIn(Role role, String... queues) {
        String token = ApiTestBase.TOKENS.token(role, null, queues);
        api.getBean(KnownTokens.class).renew();
        return new Browser(ApiTestBase.port(api)).logIn(token);
    }

    static String page(Role role, String path) {
        Browser browser = loggedIn(role).open(path);
        assertThat(browser.status()).as(browser.page.body()).isEqualTo(200);
        return browser.page.body();
    }

    /** Asserts that a page has {@link #SCRIPT} as a text. */
    static void assertShownAsText(String page) {
        assertThat(page).contains("&lt;script&gt;alert(").doesNotContain("<script>alert", "style=\"", "http://");
        // Within a tag, a quotation mark would end an attribute. No proof of a session has "=", and some begin with x.
        assertThat(BROKEN_OUT.matcher(page).find()).isFalse();
    }
}
