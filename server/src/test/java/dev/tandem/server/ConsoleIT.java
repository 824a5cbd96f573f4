package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.SmartLifecycle;

/** The console of a real server in a real browser. */
@InChromium
class ConsoleIT {

    private static final String QUEUE = ConsoleServer.QUEUE;

    private static RunningServer server;
    private static ConsoleServer console;
    private static Chromium chromium;

    @BeforeAll
    static void start(Chromium browser, ConsoleServer started) {
        console = started;
        server = started.server();
        chromium = browser.at(server.url());
        console.publish(QUEUE, "first", null, "");
        chromium.logIn(console.token());
    }

    @AfterAll
    static void stop() {
        chromium.leave();
    }

    @AfterEach
    void theBrowserHasNothingToComplainOf() {
        assertThat(chromium.complaints()).isEmpty();
    }

    @Test
    void anOperatorPausesAQueueAndTakesItBack() {
        chromium.at(server.url()).logIn(console.newToken("operator"));
        chromium.open("/");
        chromium.click("#queue-" + QUEUE + " button");
        Chromium.await(() ->
                assertThat(chromium.find("#confirm-text").getText()).contains("No task of it starts in any executor"));
        chromium.click("#confirm button[value=no]");
        Chromium.await(
                () -> assertThat(chromium.find("#queue-" + QUEUE + " .state").getText())
                        .isEqualTo("running"));

        chromium.click("#queue-" + QUEUE + " button");
        chromium.click("#confirm-yes");
        Chromium.await(
                () -> assertThat(chromium.find("#queue-" + QUEUE + " .state").getText())
                        .isEqualTo("paused"));
        Chromium.await(() -> assertThat(chromium.texts(".toast span")).contains(QUEUE + " is paused."));

        chromium.click(".toast button");
        Chromium.await(
                () -> assertThat(chromium.find("#queue-" + QUEUE + " .state").getText())
                        .isEqualTo("running"));
        chromium.at(server.url()).logIn(console.token());
    }

    @Test
    void aPageFollowsWhatItShowsAndKeepsTheFocus() {
        chromium.open("/queues/" + QUEUE);
        chromium.run("window.loaded = 'once'; document.querySelector('.head button').focus()");
        String before = chromium.texts(".figures dd").toString();

        console.publish(QUEUE, "seen", null, "");

        Chromium.await(
                () -> assertThat(chromium.texts(".figures dd").toString()).isNotEqualTo(before));
        assertThat(chromium.run("return window.loaded")).isEqualTo("once");
        assertThat(chromium.run("return document.activeElement.textContent")).isEqualTo("Pause");
    }

    @Test
    void aPageSaysThatItIsOldWhileTheServerSendsNothing() {
        SmartLifecycle live = server.bean("livePages", SmartLifecycle.class);
        chromium.open("/queues/" + QUEUE);
        live.stop();
        Chromium.await(() -> assertThat(chromium.find("#live-state").getText())
                .isEqualTo("Not up to date: the server does not answer"));
        Chromium.await(() -> assertThat(chromium.find("h1").getText()).isEqualTo(QUEUE));

        live.start();
        Chromium.await(() -> assertThat(chromium.run("return document.getElementById('live-state').textContent"))
                .isEqualTo(""));
        chromium.forgetComplaints();
    }

    @Test
    void chartsShowWhatBecameOfTasks() {
        chromium.open("/queues/" + QUEUE);

        Chromium.await(() -> assertThat(chromium.texts(".plot h3"))
                .containsExactly("Finished runs", "Wait until the first start", "Run time"));
        assertThat((Long) chromium.run("return document.querySelectorAll('.plot canvas').length"))
                .isEqualTo(3);
        Chromium.await(() -> assertThat(String.valueOf(
                        chromium.run("return document.querySelector('[data-chart]').getAttribute('aria-label')")))
                .matches("1 hour: [1-9]\\d* succeeded, \\d+ failed and were tried again, \\d+ died\\..*"));
        chromium.open("/queues/" + QUEUE + "?range=14d");
        Chromium.await(() ->
                assertThat(chromium.find(".tabs [aria-current=page]").getText()).isEqualTo("14 days"));
    }

    @Test
    void aTaskIsPublishedByTheForm() {
        chromium.open("/queues/" + QUEUE + "/new");
        chromium.find("#payloadText").sendKeys("{\"n\": ");
        chromium.click(".entry button.primary");
        Chromium.await(() ->
                assertThat(chromium.find("#payloadText-problem").getText()).startsWith("This is not JSON: "));

        chromium.find("#payloadText").sendKeys("1}");
        chromium.find("#delay").sendKeys("soon");
        chromium.click(".entry button.primary");
        Chromium.await(
                () -> assertThat(chromium.find("#delay-problem").getText()).contains("soon"));
        Chromium.await(() ->
                assertThat(chromium.find("#delay").getAttribute("aria-invalid")).isEqualTo("true"));
        assertThat(chromium.complaints()).allMatch(each -> each.contains("400"));

        chromium.run("document.getElementById('delay').value = '1h'");
        chromium.find("#id").sendKeys("by hand");
        chromium.click(".entry button.primary");
        Chromium.await(() ->
                assertThat(chromium.find("[data-sent]").getText()).startsWith("Published as by hand. See the task"));
        Chromium.await(() -> {
            chromium.open("/queues/" + QUEUE + "/tasks/by%20hand");
            assertThat(chromium.find("h1").getText()).isEqualTo("by hand");
        });
        Chromium.await(() -> assertThat(chromium.find("pre.text").getText()).contains("\"n\""));
        chromium.forgetComplaints();
    }

    @Test
    void aQueueShowsItsLimits() {
        chromium.open("/queues/" + QUEUE);
        Chromium.await(() -> assertThat(
                        chromium.texts("[id='limit-queue:" + QUEUE + "'] td").get(0))
                .startsWith("50\n"));
        chromium.click("[id='limit-queue:" + QUEUE + "'] a");
        Chromium.await(() -> assertThat(chromium.find("h1").getText()).isEqualTo("Limits"));
    }

    @Test
    void aQueueShowsWhatItsOwnersHaveInMemory() {
        chromium.open("/queues/" + QUEUE);
        Chromium.await(() -> {
            assertThat(chromium.texts("tbody tr td:nth-last-child(3)"))
                    .last()
                    .asString()
                    .matches("\\d+");
            assertThat(chromium.texts("tbody tr td:nth-last-child(2)"))
                    .last()
                    .asString()
                    .matches("[\\d.]+ K?i?B");
        });
    }

    @Test
    void aKeyOfLoneDotsIsNoStepWithinThePath() {
        chromium.open("/queues/" + QUEUE + "/keys/..;");
        Chromium.await(() -> assertThat(chromium.find("h1").getText()).isEqualTo(".."));
        assertThat(chromium.run("return new URL('/a/b/..;/c', location.href).pathname"))
                .isEqualTo("/a/b/..;/c");
    }

    @Test
    void oneActionAtATimeIsAskedFor() {
        chromium.open("/queues/" + QUEUE);
        chromium.run("""
                const button = document.querySelector('.head button');
                button.click();
                button.click();""");
        chromium.click("#confirm button[value=no]");
        Chromium.await(() -> assertThat(chromium.run("return document.body.getAttribute('aria-busy')"))
                .isNull());

        assertThat(chromium.run("return document.getElementById('confirm').open"))
                .isEqualTo(false);
        Chromium.await(() -> assertThat(chromium.find(".head .state").getText()).isEqualTo("running"));
    }

    @Test
    void theLanguageIsChosenAtTheTop() {
        chromium.open("/");
        chromium.click("[data-language=zh]");
        Chromium.await(() -> assertThat(chromium.find("h1").getText()).isEqualTo("概览"));
        chromium.open("/queues/" + QUEUE);
        Chromium.await(() -> assertThat(chromium.find(".head button").getText()).isEqualTo("暂停"));
        assertThat(chromium.run("return document.documentElement.lang")).isEqualTo("zh");
        chromium.open("/queues/" + QUEUE + "/keys/nobody");
        Chromium.await(() -> assertThat(chromium.find(".why").getText()).startsWith("nobody 目前无事可做"));
        Chromium.await(() -> assertThat(chromium.find(".head button").getText()).isEqualTo("暂停此键"));
        chromium.run("document.querySelector('.head button').dataset.url = '/api/v1/queues/none/pause'");
        chromium.click(".head button");
        chromium.click("#confirm-yes");
        Chromium.await(() -> assertThat(chromium.find(".toast.bad").getText()).startsWith("没有队列“none”。"));
        assertThat(chromium.complaints()).allMatch(each -> each.contains("status of 404"));
        chromium.open("/queues/" + QUEUE);

        chromium.click("[data-language=en]");
        Chromium.await(() -> assertThat(chromium.find(".head button").getText()).isEqualTo("Pause"));
    }
}
