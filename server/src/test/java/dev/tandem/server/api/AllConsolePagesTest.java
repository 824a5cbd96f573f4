package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Role;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.EnglishWords;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.HtmlUtils;

/** Every page of the console: full, empty, without Redis, and for callers who may not see it. */
class AllConsolePagesTest extends ConsoleTestBase {

    private static final Set<String> NO_PAGES = Set.of("/assets/{hash}/{name}");
    /** Of attributes, those that people see or hear, and those whose texts the script of the pages shows. */
    private static final Pattern SHOWN = Pattern.compile(
            ">([^<>]+)<|(?:aria-label|title|placeholder|data-(?!form|json|keep|live)[a-z-]+)=\"([^\"]+)\"");

    private static final Pattern CODE = Pattern.compile("(?s)<(code|pre)[ >].*?</\\1>");

    private static final Pattern VALUE = Pattern.compile("\\{\\d}");

    private static final Pattern ID = Pattern.compile("\\sid=\"([^\"]*)\"");

    @Test
    void everyRouteOfTheConsoleHasARowInTheTable() {
        Set<String> routes = new TreeSet<>();
        api.getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
                .getHandlerMethods()
                .forEach((RequestMappingInfo mapping, Object method) -> {
                    if (method.toString().startsWith("dev.tandem.server.console.")
                            && mapping.getMethodsCondition().getMethods().contains(RequestMethod.GET)) {
                        routes.addAll(mapping.getPatternValues());
                    }
                });
        routes.removeAll(NO_PAGES);

        assertThat(ConsolePage.routes()).isEqualTo(routes);
    }

    @ParameterizedTest
    @EnumSource
    void aPageShowsWhatThereIsAndNothingOfItIsTakenForMarkup(ConsolePage page) {
        ConsoleContent.put(SCRIPT);

        String body = named(SCRIPT, Role.ADMIN).open(page.path(SCRIPT)).page.body();

        assertThat(body).contains("<html lang=\"en\">", "<h1").doesNotContain("role=\"alert\"");
        assertShownAsText(body);
        assertThat(ID.matcher(body).results().map(each -> each.group(1)).toList())
                .as("each id is there once")
                .doesNotHaveDuplicates();
    }

    private static Browser named(String name, Role role) {
        String token = ApiTestBase.TOKENS.named(name, role);
        api.getBean(KnownTokens.class).renew();
        return new Browser(ApiTestBase.port(api)).logIn(token);
    }

    @ParameterizedTest
    @EnumSource
    void aPageSaysThatThereIsNothing(ConsolePage page) {
        ApiTestBase.PLATFORM.executors = List.of();
        if (page.empty() != null) {
            assertThat(page(Role.ADMIN, page.path(ConsolePage.NAME))).contains(page.empty());
        }
        for (String path : page.unknown()) {
            Browser browser = loggedIn(Role.ADMIN).open(path);
            assertThat(browser.status()).as(path).isIn(400, 404);
            assertThat(browser.page.body()).contains("role=\"alert\"", "<a href=\"/\">Overview</a>");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPageSaysWhatDoesNotAnswer(ConsolePage page) {
        Browser browser = loggedIn(Role.ADMIN);
        ConsoleContent.put(ConsolePage.NAME);
        ApiTestBase.PLATFORM.failure = new UnavailableException("Redis is away", null);

        browser.open(page.path(ConsolePage.NAME));

        assertThat(browser.status()).isEqualTo(page.statusWithoutRedis());
        if (page.needsRedis()) {
            assertThat(browser.page.body()).contains("Redis is away", "<nav aria-label=\"Pages\">");
        }
    }

    @ParameterizedTest
    @EnumSource
    void nobodySeesAPageWithoutALoginWhichLeadsBackToIt(ConsolePage page) {
        ConsoleContent.put(ConsolePage.NAME);
        String path = page.path(ConsolePage.NAME);
        String token = ApiTestBase.TOKENS.token(Role.ADMIN, null);
        api.getBean(KnownTokens.class).renew();

        Browser browser = new Browser(ApiTestBase.port(api)).open(path);

        assertThat(browser.status()).as(browser.page.body()).isEqualTo(303);
        assertThat(browser.location()).contains("/login");
        String next = browser.open(browser.location())
                .page
                .body()
                .replaceAll("(?s).*name=\"next\" value=\"([^\"]*)\".*", "$1")
                .replace("&amp;", "&");
        browser.submit("/login", Map.of("token", token, "next", next));
        assertThat(browser.location()).endsWith(path);
        assertThat(browser.open(path).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void aLinkOfAnotherSiteMayOpenAPage(ConsolePage page) {
        ConsoleContent.put(ConsolePage.NAME);
        Browser browser = loggedIn(Role.ADMIN);

        browser.send(browser.request(page.path(ConsolePage.NAME))
                .header("Sec-Fetch-Site", "cross-site")
                .header("Sec-Fetch-Mode", "navigate")
                .header("Sec-Fetch-Dest", "document"));

        assertThat(browser.status()).isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void whoMayOnlyLookSeesNoButtonsAndProgramsSeeNothing(ConsolePage page) {
        ConsoleContent.put("customer-9");
        Browser viewer = loggedIn(Role.VIEWER).open(page.path("customer-9"));

        assertThat(viewer.status()).isEqualTo(page.role() == Role.VIEWER ? 200 : 403);
        assertThat(viewer.page.body()).doesNotContain("data-url=", "data-send=", "data-each=", "data-pick=");
        String path = page.path(ConsolePage.NAME); // Without the name that programs must not see.
        for (Role role : new Role[] {Role.WORKER, Role.PUBLISHER}) {
            Browser program = loggedIn(role, "orders").open(path);
            assertThat(program.status()).as(role + " " + path).isEqualTo(page.isFor(role) ? 200 : 403);
            assertThat(program.page.body()).doesNotContain("data-url=", "customer-9");
        }
    }

    @Test
    void whatTheServerHasNoPageForIsSaidAsAPageInTheLanguageOfItsReader() {
        Browser browser = loggedIn(Role.VIEWER);
        assertThat(chinese(browser, "/nothing/here")).contains("/nothing/here 不存在。");
        assertThat(browser.status()).isEqualTo(404);
        assertThat(browser.page.body()).contains("role=\"alert\"").doesNotContain("<p lang=\"en\"");
        assertThat(browser.open("/nothing").page.body()).contains("There is nothing at /nothing.");
        assertThat(browser.send(browser.request("/nothing").setHeader("Accept", "application/json"))
                        .page
                        .body())
                .contains("urn:tandem:problem:not-found");
    }

    @Test
    void whoMayOperateSeesTheButtonsAndFormsThatOthersDoNot() {
        ConsoleContent.put(ConsolePage.NAME);

        assertThat(page(Role.OPERATOR, ConsolePage.SCHEDULED_TASK.path(ConsolePage.NAME)))
                .contains(">Run now<", "data-url=", "data-form=\"reschedule\" data-send=");
        assertThat(page(Role.OPERATOR, ConsolePage.TASKS.path(ConsolePage.NAME)))
                .contains("data-each=", "data-pick=");
    }

    @ParameterizedTest
    @EnumSource
    void aPageIsWhollyInTheLanguageOfItsReader(ConsolePage page) {
        Browser browser = loggedIn(Role.ADMIN);
        ConsoleContent.put(ConsolePage.NAME);
        List<Pattern> english = textsThatDiffer();

        Set<String> shown = chinese(browser, page.path(ConsolePage.NAME));

        assertThat(shown)
                .hasSizeGreaterThan(15)
                .noneMatch(each ->
                        english.stream().anyMatch(text -> text.matcher(each).matches()));
        assertThat(browser.page.body()).doesNotContainPattern(">[^<]*\\{\\d}");
    }

    @ParameterizedTest
    @EnumSource
    void aPageIsInTheLanguageOfItsReaderAlsoIfItHasNothingOrCannotBeShown(ConsolePage page) {
        Browser browser = loggedIn(Role.ADMIN);
        ApiTestBase.PLATFORM.executors = List.of();

        assertThat(chinese(browser, page.path(ConsolePage.NAME))).isNotEmpty();
        for (String path : page.unknown()) {
            assertThat(chinese(browser, path)).isNotEmpty();
            assertThat(browser.page.body()).contains("role=\"alert\"").doesNotContain("<p lang=\"en\"");
        }
        ApiTestBase.PLATFORM.failure = new UnavailableException("Redis is not available: no answer in time", null);
        chinese(browser, page.path(ConsolePage.NAME));
        if (page.needsRedis()) {
            assertThat(browser.page.body()).contains("Redis 不可用：没有及时响应");
        }
        ApiTestBase.PLATFORM.failure = null;
        assertThat(chinese(loggedIn(Role.WORKER, "orders"), page.path(ConsolePage.NAME)))
                .isNotEmpty();
    }

    /** Returns all texts of a page in Chinese, none of which is English. */
    private static Set<String> chinese(Browser browser, String path) {
        browser.send(browser.request(path).header("Accept-Language", "zh-CN"));
        assertThat(browser.page.body()).contains("<html lang=\"zh\">");
        Set<String> shown = SHOWN.matcher(CODE.matcher(browser.page.body()).replaceAll("<>"))
                .results()
                .map(found -> (found.group(1) == null ? found.group(2) : found.group(1)).strip())
                .collect(Collectors.toSet());
        assertThat(shown)
                .as(path)
                .allSatisfy(each -> assertThat(EnglishWords.in(HtmlUtils.htmlUnescape(each)))
                        .isEmpty());
        return shown;
    }

    /** Returns the English texts that are others in Chinese, with any values, if they have any words. */
    private static List<Pattern> textsThatDiffer() {
        Properties english = texts("texts.properties");
        Properties chinese = texts("texts_zh_CN.properties");
        return english.stringPropertyNames().stream()
                .filter(key -> !english.getProperty(key).equals(chinese.getProperty(key)))
                .map(english::getProperty)
                .filter(text -> VALUE.matcher(text).replaceAll("").matches("(?s).*\\p{L}{2}.*"))
                .map(text -> VALUE.splitAsStream(text).map(Pattern::quote).collect(Collectors.joining(".*"))
                        + (text.endsWith("}") ? ".*" : ""))
                .map(Pattern::compile)
                .toList();
    }

    private static Properties texts(String file) {
        Properties texts = new Properties();
        try (var in = AllConsolePagesTest.class.getResourceAsStream("/dev/tandem/server/console/" + file)) {
            texts.load(new InputStreamReader(in, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }
}
