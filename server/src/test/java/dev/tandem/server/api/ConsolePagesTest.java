package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Role;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** All pages of the console: who sees what, what a browser may load, and that what comes from outside is shown as text. */
class ConsolePagesTest extends ConsoleTestBase {

    @Test
    void buttonsAreForThoseWhoMayUseTheirRoutes() {
        assertThat(loggedIn(Role.VIEWER).open("/").page.body()).doesNotContain("data-url");
        assertThat(loggedIn(Role.OPERATOR).open("/").page.body())
                .contains("data-method=\"POST\" data-url=\"/api/v1/queues/orders/pause\"");

        ApiTestBase.PLATFORM.paused = true;
        assertThat(loggedIn(Role.OPERATOR).open("/queues/orders").page.body())
                .contains("data-url=\"/api/v1/queues/orders/resume\"")
                .doesNotContain("orders/pause");
    }

    @Test
    void aPageThatTheCallerMayNotSeeSaysSoAsAPage() {
        Browser worker = loggedIn(Role.WORKER, "orders").open("/queues/orders");

        assertThat(worker.status()).isEqualTo(403);
        assertThat(worker.page.body()).contains("role=\"alert\"", "does not permit this request");

        Browser viewer = loggedIn(Role.VIEWER).open("/queues/none");
        assertThat(viewer.status()).isEqualTo(404);
        assertThat(viewer.page.body()).contains("There is no queue 'none'");
    }

    @Test
    void onlyPagesWithChartsLoadTheLibraryThatDrawsThem() {
        assertThat(loggedIn(Role.VIEWER).open("/").page.body()).doesNotContain("uplot");
        assertThat(loggedIn(Role.VIEWER).open("/queues/orders").page.body()).contains("/uplot.js", "/uplot.css");
    }

    @Test
    void whatComesFromOutsideIsShownAsText() {
        Browser browser = loggedIn(Role.VIEWER).open("/queues/%3Cscript%3Ealert(1)%3C%2Fscript%3E");

        assertThat(browser.status()).isEqualTo(404);
        assertThat(browser.page.body()).doesNotContain("<script>alert").contains("&lt;script&gt;alert(1)");
    }

    @Test
    void pagesPermitOnlyFilesOfThisServer() {
        Browser browser = loggedIn(Role.VIEWER).open("/");

        assertThat(browser.page.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy)
                        .contains(
                                "default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'")
                        .doesNotContain("unsafe"));
        assertThat(browser.page.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(browser.page.body()).doesNotContain("style=\"", "onclick", "http://", "https://");
    }

    @Test
    void filesOfPagesAreKeptByBrowsersForEverAndNeedNoLogin() {
        Matcher path = Pattern.compile("/assets/[0-9a-f]+/console\\.js")
                .matcher(loggedIn(Role.VIEWER).open("/").page.body());
        assertThat(path.find()).isTrue();

        Browser nobody = new Browser(ApiTestBase.port(api)).open(path.group());
        assertThat(nobody.status()).isEqualTo(200);
        assertThat(nobody.page.headers().firstValue("Content-Type")).hasValue("text/javascript;charset=UTF-8");
        assertThat(nobody.page.headers().firstValue("Cache-Control")).hasValue("public, max-age=31536000, immutable");
        assertThat(nobody.open(path.group().replace("console.js", "live.js")).status())
                .as("the modules name one another by their names")
                .isEqualTo(200);
        assertThat(nobody.open("/assets/0000/console.js").status()).isEqualTo(404);
        assertThat(nobody.open("/assets/0000/..%2Fapplication.yaml").status()).isEqualTo(404);
    }

    @Test
    void theLanguageIsTheOneOfTheBrowserUntilTheUserChoosesAnother() {
        Browser browser = loggedIn(Role.VIEWER);
        browser.send(browser.request("/").header("Accept-Language", "zh-CN,zh;q=0.9,en;q=0.5"));
        assertThat(browser.page.body()).contains("<html lang=\"zh\">", "概览");

        browser.send(browser.request("/language/en")
                .header("X-CSRF-TOKEN", csrf(browser))
                .POST(noBody()));
        assertThat(browser.status()).isEqualTo(204);
        browser.send(browser.request("/").header("Accept-Language", "zh-CN"));
        assertThat(browser.page.body()).contains("<html lang=\"en\">", "Overview");
    }

    private static BodyPublisher noBody() {
        return BodyPublishers.noBody();
    }

    private static String csrf(Browser browser) {
        Matcher proof = Pattern.compile("data-csrf=\"([^\"]+)\"").matcher(browser.page.body());
        assertThat(proof.find()).isTrue();
        return proof.group(1);
    }

    /** The script sends the proof of a page when a button is pressed. */
    @Test
    void theProofOfAPageIsGoodForTheRoutesOfTheApi() {
        Browser browser = loggedIn(Role.OPERATOR).open("/");

        browser.send(browser.request("/api/v1/queues/orders/pause")
                .header("X-CSRF-TOKEN", csrf(browser))
                .POST(noBody()));

        assertThat(browser.status()).as(browser.page.body()).isEqualTo(202);
        browser.send(browser.request("/api/v1/queues/orders/pause").POST(noBody()));
        assertThat(browser.status()).isEqualTo(403);
    }

    @Test
    void everyPageSaysWhatItsCallersNeed() {
        List<HandlerMethod> pages = api
                .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
                .getHandlerMethods()
                .values()
                .stream()
                .filter(method -> method.getBeanType().getPackageName().equals("dev.tandem.server.console"))
                .toList();

        assertThat(pages)
                .isNotEmpty()
                .allSatisfy(method -> assertThat(method.hasMethodAnnotation(Needs.class)
                                || method.getBeanType().isAnnotationPresent(Needs.class))
                        .as(method.toString())
                        .isTrue());
    }
}
