package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.Chromium;
import dev.tandem.server.InChromium;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Role;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.PermitView;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.json.JsonMapper;

/** All pages of the console in a real browser, with things on them that only a test can have all at once. */
@InChromium
class ConsolePagesIT {

    /** Does something in each place where a browser could take it for more than a text. */
    private static final String HOSTILE =
            "</script></td><img src=x onerror=\"window.harm=1\">' onfocus='window.harm=2' x='";

    /** Returns the parts of a page that scroll sideways. Long lines of payloads and errors may. */
    private static final String SIDEWAYS = """
            return [...document.querySelectorAll('.scroll')].filter(part => part.scrollWidth > part.clientWidth)
                .map(part => part.scrollWidth + ' pixels: ' + part.textContent.trim().slice(0, 80));""";

    /** The pages that have all the colours. */
    private static final Set<ConsolePage> IN_DARK = Set.of(ConsolePage.OVERVIEW, ConsolePage.TASKS);

    private static ConfigurableApplicationContext api;
    private static Chromium chromium;

    @BeforeAll
    static void start(Chromium browser) {
        api = ApiTestBase.run("required");
        chromium = browser.at("http://127.0.0.1:" + ApiTestBase.port(api));
        ApiTestBase.forgetAll();
        String token = ApiTestBase.TOKENS.named(HOSTILE, Role.ADMIN);
        api.getBean(KnownTokens.class).renew();
        chromium.logIn(token);
    }

    @AfterAll
    static void stop() {
        chromium.leave();
        api.close();
    }

    @BeforeEach
    void reset() {
        ApiTestBase.forgetContent();
        ConsoleContent.put(HOSTILE);
    }

    @AfterEach
    void theBrowserHasNothingToComplainOf() {
        assertThat(chromium.complaints()).isEmpty();
    }

    /** One visit: the same page in light and dark, then on a phone. */
    @ParameterizedTest
    @EnumSource
    void aPageIsOpenToAllPeopleFitsOnAPhoneAndRunsNothingOfWhatItShows(ConsolePage page) {
        chromium.open(page.path(HOSTILE));
        Chromium.await(() -> assertThat(chromium.find(".who").getText()).contains(HOSTILE));
        assertOpenAndHarmless(IN_DARK.contains(page));
    }

    @Test
    void aPageOfAProblemAndTheLoginAreOpenToAllPeopleToo() {
        chromium.open("/queues/none%3Cimg%20src=x%20onerror=%22window.harm=1%22%3E");
        Chromium.await(
                () -> assertThat(chromium.find("[role=alert]").getText()).contains("There is no queue 'none<img"));
        assertOpenAndHarmless(false);
        assertThat(chromium.complaints()).allMatch(each -> each.contains("status of 404"));

        chromium.open("/login");
        assertOpenAndHarmless(true);
    }

    private static void assertOpenAndHarmless(boolean inDark) {
        assertThat(chromium.barriers()).as("in light").isEmpty();
        if (inDark) {
            assertThat(chromium.prefers("dark").barriers()).as("in dark").isEmpty();
            chromium.prefers("light");
        }
        assertThat(chromium.run("return window.harm")).isNull();
        assertThat(chromium.run("return document.querySelectorAll('img[src=x], [onerror], [onfocus]').length"))
                .isEqualTo(0L);
        try {
            chromium.size(360, 800);
            // Charts are drawn anew a moment later.
            Chromium.await(() -> {
                assertThat((Long) chromium.run("return document.documentElement.scrollWidth"))
                        .isLessThanOrEqualTo(360);
                assertThat((List<?>) chromium.run(SIDEWAYS)).isEmpty();
            });
        } finally {
            chromium.size(1400, 900);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void theNavigationTakesOneLineAndTheRarerPagesAreInAMenu(String language) {
        chromium.open("/").click("[data-language=" + language + "]");
        Chromium.await(() ->
                assertThat(chromium.run("return document.documentElement.lang")).isEqualTo(language));
        for (int width : new int[] {1200, 1280, 1400}) {
            chromium.size(width, 800);
            Chromium.await(() -> assertThat((Long) chromium.run("return document.documentElement.scrollWidth"))
                    .isLessThanOrEqualTo(width));
            assertThat((Long) chromium.run("return document.querySelector('.top').offsetHeight"))
                    .as(width + " pixels")
                    .isLessThan(60);
        }
        chromium.size(360, 800).find(".menu summary").sendKeys(Keys.ENTER);
        assertThat(isMenuOpen()).isTrue();
        assertThat(chromium.barriers()).isEmpty();
        assertThat((Long) chromium.run("return document.documentElement.scrollWidth"))
                .isLessThanOrEqualTo(360);
        chromium.press(Keys.TAB);
        chromium.press(Keys.ESCAPE);
        assertThat(isMenuOpen()).as("after Escape").isFalse();
        chromium.press(Keys.ENTER);
        chromium.press(Keys.TAB);
        chromium.press(Keys.ENTER);
        Chromium.await(() -> assertThat(chromium.path()).isEqualTo("/limits"));
        chromium.size(1400, 900).click("[data-language=en]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void theTablesOfQueuesFitOnScreens(String language) {
        PartitionInfo waits = new PartitionInfo("0", "host-1", 0, TaskCounts.NONE, Map.of(), 0, 0, 3_599_000L, null);
        ApiTestBase.PLATFORM.partitions.put("orders", List.of(waits));
        try {
            for (String path : List.of("/", "/queues/orders")) {
                chromium.size(1280, 800).open(path).click("[data-language=" + language + "]");
                Chromium.await(() -> assertThat(chromium.run("return document.documentElement.lang"))
                        .isEqualTo(language));
                for (int width : new int[] {360, 1280, 1440}) {
                    chromium.size(width, 800);
                    Chromium.await(() -> assertThat((List<?>) chromium.run(SIDEWAYS))
                            .as(path + " at " + width + " pixels")
                            .isEmpty());
                }
            }
        } finally {
            chromium.size(1400, 900).click("[data-language=en]");
        }
    }

    private static boolean isMenuOpen() {
        return (Boolean) chromium.run("return document.querySelector('.menu').open");
    }

    @ParameterizedTest
    @EnumSource
    void onALaptopNoButtonsCoverWhatARowSays(ConsolePage page) {
        ApiTestBase.forgetContent();
        ConsoleContent.put(ConsolePage.NAME);
        chromium.size(1280, 800).open(page.path(ConsolePage.NAME));
        assertThat((List<?>) chromium.run(SIDEWAYS)).isEmpty();
        chromium.size(1400, 900);
    }

    @Test
    void aLegendHasTheLatestValuesUntilThePointerIsOnTheChart() {
        ConsoleContent.addLastMinute("orders", 90, 60, 0, 30);
        chromium.open("/queues/orders");

        Chromium.await(() -> assertThat(chromium.texts(".plot:first-of-type .u-legend .u-value"))
                .hasSize(4)
                .doesNotContain("–", "--")
                .contains("60", "30", "0"));
    }

    @ParameterizedTest
    @EnumSource(names = {"TASKS", "DEAD", "RUNNING"})
    void onAPhoneARowIsACardWhoseButtonsCoverNothing(ConsolePage page) {
        chromium.size(360, 800).open(page.path(HOSTILE));
        assertThat((Boolean) chromium.run("""
                return [...document.querySelectorAll('.cards tbody tr')].every(row => {
                  const buttons = row.querySelector('.actions').getBoundingClientRect();
                  return [...row.children].every(cell => cell.matches('.actions, .pick') || buttons.width === 0
                    || cell.getBoundingClientRect().bottom <= buttons.top + 1);
                });""")).isTrue();
        assertThat((Long) chromium.run("return document.querySelector('.scroll').scrollWidth"))
                .isLessThanOrEqualTo(360);
        Chromium.await(() ->
                assertThat(chromium.find(".cards td[data-label]").isDisplayed()).isTrue());
        chromium.size(1400, 900);
    }

    @Test
    void aFanOutIsCancelledAfterAQuestion() {
        chromium.open("/fan-outs");
        chromium.clickButton("Cancel");
        assertThat(chromium.confirm())
                .startsWith(
                        "Cancel the fan-out " + ConsoleContent.FAN_OUT + "? Subtasks that have not begun do not run");
        chromium.awaitToast(ConsoleContent.FAN_OUT + " is being cancelled.");
        assertThat(ApiTestBase.FAN_OUTS.changes)
                .singleElement()
                .satisfies(change -> assertThat(change).startsWith(ConsoleContent.FAN_OUT));
    }

    @Test
    void aLimitIsChangedAfterAQuestionShownAndTakenBack() {
        PermitView.Holder holder = new PermitView.Holder("one", 40, 37, 2, 800, List.of());
        ApiTestBase.PLATFORM.limits.put("erp", new PermitView("erp", 50, null, List.of(holder)));
        chromium.open("/limits");
        chromium.click("#limit-erp summary");
        chromium.find("#limit-erp input").sendKeys("20");
        chromium.click("#limit-erp form button");
        assertThat(chromium.confirm())
                .isEqualTo("Let at most 20 tasks of erp run at once, in all executors? Now it is 50, and 37 run."
                        + " Those go on. With a lower number none starts until enough have ended.");
        chromium.awaitToast("erp: at most 20 at once.");
        Chromium.await(() -> assertThat(chromium.find("#limit-erp").getText()).contains("from 50, by"));

        chromium.click(".toast button");
        Chromium.await(() -> assertThat(chromium.find("#limit-erp").getText()).doesNotContain("from 50, by"));
        assertThat(ApiTestBase.PLATFORM.limits.get("erp").override()).isNull();
    }

    @Test
    void anUndoTakesBackNoOtherOperatorsNumber() {
        ApiTestBase.PLATFORM.limits.put("erp", new PermitView("erp", 50, null, List.of()));
        chromium.open("/limits");
        chromium.click("#limit-erp summary");
        chromium.find("#limit-erp input").sendKeys("20");
        chromium.click("#limit-erp form button");
        chromium.confirm();
        chromium.awaitToast("erp: at most 20 at once.");
        LimitRequest seven = LimitRequest.set(new LimitRequest.Permits(7), "ben", null);
        new InMemoryLimits(ApiTestBase.PLATFORM).change("erp", seven);

        chromium.click(".toast button");

        chromium.awaitToast("Somebody has changed 'erp' since. Now it is at most 7 at once, set by ben");
        assertThat(ApiTestBase.PLATFORM.limits.get("erp").override())
                .satisfies(each -> assertThat(each.max()).isEqualTo(7));
        assertThat(chromium.complaints())
                .as("the refusal")
                .allSatisfy(each -> assertThat(each).contains("status of 409"));
    }

    @Test
    void theWholeAuditLogIsSavedAsAFile(@TempDir Path folder) {
        for (int i = 0; i < 2_500; i++) {
            ApiTestBase.AUDIT.entries.add(ConsoleContent.entry("9-" + i, "queue mail"));
        }
        chromium.downloadsTo(folder).open("/audit");
        chromium.find("[data-export]").click();
        chromium.awaitToast("entries are exported.");
        Path file = folder.resolve("audit-changes.json");
        await().until(() -> Files.exists(file));

        await().untilAsserted(() -> assertThat(JsonMapper.shared()
                        .readTree(Files.readString(file))
                        .path("entries")
                        .valueStream()
                        .map(entry -> entry.path("id").asString())
                        .filter(id -> id.startsWith("9-")))
                .hasSize(2_500)
                .doesNotHaveDuplicates());
    }
}
