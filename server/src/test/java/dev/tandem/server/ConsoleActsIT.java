package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The buttons of the console: what they ask, what becomes of the tasks of a real server, and what the page says then. */
@InChromium
class ConsoleActsIT {

    private static final String QUEUE = ConsoleServer.QUEUE;
    private static final String PLAIN = ConsoleServer.PLAIN;

    private static ConsoleServer console;
    private static Chromium chromium;

    @BeforeAll
    static void start(Chromium browser, ConsoleServer started) {
        console = started;
        chromium = browser.at(console.server().url());
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
    void aTaskIsRetriedRunCancelledAndDeletedInItsRow() {
        console.publishDead("single", "again", "gone");
        console.endpoint().accept("again");
        chromium.open("/queues/" + PLAIN + "/tasks?state=dead");
        chromium.clickButton("again", "Retry");
        chromium.awaitToast("again runs now.");
        console.awaitState(PLAIN, "again", "succeeded");
        Chromium.await(() -> assertThat(chromium.texts("tbody th")).doesNotContain("again"));
        chromium.open("/queues/" + PLAIN + "/tasks/again");
        Chromium.await(() ->
                assertThat(chromium.texts("tr.act")).singleElement().asString().contains("retried by admin"));

        chromium.open("/dead");
        Chromium.await(() -> assertThat(chromium.texts("tbody tr"))
                .anySatisfy(row -> assertThat(row).contains("HTTP status 410", PLAIN)));
        chromium.open("/queues/" + PLAIN + "/tasks?state=dead");
        chromium.clickButton("gone", "Delete");
        assertThat(chromium.confirm()).isEqualTo("Delete the dead task gone? It cannot be brought back.");
        Chromium.await(() -> assertThat(chromium.texts("tbody th")).doesNotContain("gone"));

        console.publish(QUEUE, "early", null, ",\"delay\":\"1h\"");
        console.publish(QUEUE, "never", null, ",\"delay\":\"1h\"");
        console.awaitState(QUEUE, "early", "scheduled");
        console.awaitState(QUEUE, "never", "scheduled");
        chromium.open("/queues/" + QUEUE + "/tasks?state=scheduled");
        chromium.clickButton("early", "Run now");
        console.awaitState(QUEUE, "early", "succeeded");
        chromium.clickButton("never", "Cancel");
        assertThat(chromium.confirm()).startsWith("Cancel the task never? If it runs, its handler is interrupted.");
        console.awaitState(QUEUE, "never", "cancelled");
    }

    @Test
    void whatIsDoneToChosenTasksSaysHowManyTheyAre() {
        console.publishDead("chosen", "chosen-1", "chosen-2", "chosen-3");
        chromium.open("/queues/" + PLAIN + "/tasks?state=dead&key=chosen");
        Chromium.await(() -> assertThat(chromium.find("#picked").isDisplayed()).isFalse());
        chromium.click("[data-pick-all]");
        Chromium.await(() -> assertThat(chromium.find("#picked span").getText()).isEqualTo("3 chosen"));
        chromium.click("[aria-label='Choose chosen-2']");

        chromium.clickButton("Delete");
        assertThat(chromium.confirm())
                .isEqualTo("Delete the 2 chosen tasks? They cannot be brought back. Those that halt their keys stay.");
        chromium.awaitToast("2 of 2 done.");
        Chromium.await(() -> assertThat(chromium.texts("tbody th")).containsExactly("chosen-2"));
        Chromium.await(() -> assertThat(chromium.find("#picked").isDisplayed()).isFalse());
    }

    @Test
    void afterARetryOfChosenTasksTheMessageLeadsToThoseThatDiedSince() {
        console.publishDead("again", "again-1");
        console.publishDead("again", "again-2", "again-3");
        console.endpoint().accept("again-3");
        chromium.open("/queues/" + PLAIN + "/tasks?state=dead&key=again");
        chromium.click("[aria-label='Choose again-2']");
        chromium.click("[aria-label='Choose again-3']");
        chromium.clickButton("Retry");
        chromium.awaitToast("2 of 2 done.");
        console.awaitState(PLAIN, "again-3", "succeeded");
        console.awaitState(PLAIN, "again-2", "dead");

        chromium.click(".toast a");
        Chromium.await(() -> assertThat(chromium.texts("tbody th")).contains("again-2"));
        assertThat(chromium.texts("tbody th")).doesNotContain("again-1", "again-3");
    }

    @Test
    void whatIsDoneToAllThatMatchIsCountedFirstAndShownWhileItGoesOn() {
        console.publishDead("many", "many-1", "many-2", "many-3");
        console.endpoint().accept("many-1");
        console.endpoint().accept("many-2");
        console.endpoint().accept("many-3");
        chromium.open("/queues/" + PLAIN + "/tasks?state=dead&key=many");
        chromium.clickButton("Retry all that match");
        assertThat(chromium.confirm())
                .isEqualTo("Retry 3 dead tasks? Each runs again with all its attempts. This cannot be undone.");
        chromium.awaitToast("The operation is done: 3 tasks changed, 0 refused.");
        Chromium.await(() -> assertThat(chromium.texts("tbody th"))
                .as("the list is read again")
                .isEmpty());

        chromium.click(".toast a");
        Chromium.await(() -> assertThat(chromium.path())
                .startsWith("/queues/" + PLAIN + "/operations/")
                .doesNotContain("?"));
        assertThat(chromium.find(".head .state").getText()).isEqualTo("done");
        assertThat(chromium.find(".facts").getText()).contains("key", "many");
        chromium.open("/operations");
        Chromium.await(() -> assertThat(chromium.texts("tbody tr"))
                .anySatisfy(row -> assertThat(row).contains("key: many", "done", " 3 3 0 ")));
        console.awaitState(PLAIN, "many-3", "succeeded");
        chromium.open("/queues/" + PLAIN + "/tasks?state=dead&key=many");
        Chromium.await(() -> assertThat(chromium.find(".empty").getText()).isEqualTo("No task matches."));
        chromium.clickButton("Retry all that match");
        chromium.awaitToast("No task matches.");
        assertThat(chromium.run("return document.getElementById('confirm').open"))
                .isEqualTo(false);
    }

    @Test
    void whatTheServerRefusesIsSaid() {
        console.publishDead("stale", "stale");
        // A search stays as it is, so its button is for a state that is over.
        chromium.open("/queues/" + PLAIN + "/tasks?state=dead&key=stale");
        console.endpoint().accept("stale");
        assertThat(console.api("POST", "queues/" + PLAIN + "/tasks/stale/retry", "")
                        .status())
                .isEqualTo(202);
        console.awaitState(PLAIN, "stale", "succeeded");

        chromium.clickButton("stale", "Retry");

        Chromium.await(() -> assertThat(chromium.texts(".toast.bad span"))
                .anySatisfy(said -> assertThat(said).contains("succeeded").endsWith(".")));
        assertThat(chromium.complaints()).allMatch(each -> each.contains("status of 409"));
    }

    @Test
    void aKeyIsMovedOnRunPausedAndDrained() {
        for (String id : new String[] {"k-1", "k-2", "k-3", "k-4", "k-5"}) {
            console.endpoint().reply(id, 410, null);
            console.publish(QUEUE, id, "c-7", "");
        }
        console.awaitState(QUEUE, "k-1", "dead");
        console.awaitState(QUEUE, "k-5", "parked");
        chromium.open("/queues/" + QUEUE + "/keys/c-7");
        String first = chromium.find(".why").getText();
        assertThat(first).contains("k-1");

        chromium.clickButton("Skip");
        assertThat(chromium.confirm()).contains("the next task behind it goes on. Parked behind it: 4.");
        chromium.awaitToast("The head of c-7 is skipped.");
        Chromium.await(() -> assertThat(chromium.find(".why").getText()).contains("k-2"));
        console.awaitState(QUEUE, "k-2", "dead");

        console.endpoint().accept("k-2");
        console.endpoint().accept("k-3");
        Chromium.await(() -> assertThat(chromium.texts(".facts dd")).contains("its head is dead"));
        chromium.clickButton("Retry");
        assertThat(chromium.confirm()).startsWith("Run the head of the key c-7 now? Parked behind it: 3.");
        console.awaitState(QUEUE, "k-3", "succeeded");
        console.awaitState(QUEUE, "k-4", "dead");

        chromium.clickButton("Pause the key");
        assertThat(chromium.confirm()).startsWith("Pause the key c-7? No task of it starts until it is resumed.");
        Chromium.await(() -> assertThat(chromium.texts(".head .state")).contains("paused"));
        Chromium.await(() -> chromium.clickButton("Resume the key"));
        Chromium.await(() -> assertThat(chromium.texts(".head .state")).doesNotContain("paused"));

        Chromium.await(() -> assertThat(chromium.find(".why").getText()).contains("k-4"));
        chromium.clickButton("Drain");
        assertThat(chromium.confirm())
                .startsWith("Drain the key c-7? Its head stays dead. Parked behind it and dying too: 1.");
        Chromium.await(() -> assertThat(chromium.texts(".head .state")).containsExactly("open"));
        console.awaitState(QUEUE, "k-5", "dead");
    }

    @Test
    void aScheduleIsFiredPausedAndDeleted() {
        assertThat(console.api("PUT", "schedules/nightly", "{\"queue\":\"" + QUEUE + "\",\"cron\":\"0 30 2 * * *\"}")
                        .status())
                .isBetween(200, 202);
        chromium.open("/schedules");
        chromium.clickButton("nightly", "Fire now");
        assertThat(chromium.confirm()).startsWith("Fire nightly now? One task more is submitted");
        Chromium.await(() ->
                assertThat(chromium.texts("#schedule-nightly td.number").get(1)).isEqualTo("1"));

        chromium.clickButton("nightly", "Pause");
        assertThat(chromium.confirm()).contains("It does not fire until it is resumed");
        Chromium.await(() ->
                assertThat(chromium.find("#schedule-nightly .state").getText()).isEqualTo("paused"));
        Chromium.await(() -> chromium.find(".toast button").click());
        Chromium.await(() ->
                assertThat(chromium.find("#schedule-nightly .state").getText()).isEqualTo("active"));

        chromium.clickButton("nightly", "Delete");
        assertThat(chromium.confirm())
                .isEqualTo("Delete the schedule nightly? It fires no more. You can undo this right afterwards.");
        Chromium.await(() -> assertThat(chromium.has("#schedule-nightly")).isFalse());

        Chromium.await(() -> assertThat(chromium.texts(".toast"))
                .last()
                .satisfies(said -> assertThat(said).contains("nightly is deleted.")));
        chromium.click(".toast:last-child button");
        chromium.awaitToast("nightly is back as it was.");
        Chromium.await(() -> assertThat(chromium.texts("#schedule-nightly td.number"))
                .as("its counts are back too")
                .element(1)
                .isEqualTo("1"));
        assertThat(console.api("GET", "audit?kind=changes", "").body()).contains("restore", "schedule nightly");
    }

    @Test
    void twoKeysLeadToTheSearchAndTheSearchToATask() {
        console.publish(QUEUE, "wanted", null, ",\"delay\":\"1h\"");
        console.awaitState(QUEUE, "wanted", "scheduled");
        chromium.open("/queues/" + QUEUE);
        chromium.press(Keys.chord(Keys.CONTROL, "k"));
        chromium.press("wanted", Keys.ENTER);
        Chromium.await(() -> assertThat(chromium.find("h1").getText()).isEqualTo("wanted"));

        chromium.press("/");
        chromium.press("nothing", Keys.ENTER);
        Chromium.await(() -> assertThat(chromium.find(".empty").getText())
                .isEqualTo("No task in the store has the id nothing, and no blocked key has this name."));
        Chromium.await(() -> assertThat(chromium.path()).isEqualTo("/search?queue=" + QUEUE + "&q=nothing"));
    }

    @Test
    void aTaskGetsAnotherTimeAndItsOwnBackAndAnotherPayload() {
        console.publish(QUEUE, "later", null, ",\"delay\":\"5h\"");
        console.awaitState(QUEUE, "later", "scheduled");
        String time = timeOf(QUEUE, "later");
        chromium.open("/queues/" + QUEUE + "/tasks/later");
        chromium.run("document.querySelector('input[name=at]').value = '2090-01-31T08:00:00'");
        chromium.clickButton("Reschedule");
        chromium.awaitToast("later is rescheduled.");
        assertThat(timeOf(QUEUE, "later")).startsWith("2090-01-3");
        chromium.find(".toast button").click();
        Chromium.await(() -> assertThat(timeOf(QUEUE, "later")).isEqualTo(time));

        chromium.find("a.button").click();
        chromium.run("document.getElementById('payloadText').value = '{\"n\":2}'");
        chromium.clickButton("Save");
        assertThat(chromium.confirm()).startsWith("Replace the payload of later?");
        Chromium.await(() ->
                assertThat(chromium.find("pre.text").getText()).contains("2").doesNotContain("1"));
    }

    @Test
    void chosenTasksGetAnotherTimeAndTheirOwnBack() {
        List<String> ids = List.of("put-off-1", "put-off-2", "put-off-3");
        List<String> times = scheduled("put-off", ids);
        chromium.open("/queues/" + PLAIN + "/tasks?state=scheduled&key=put-off");
        chromium.click("[aria-label='Choose put-off-1']");
        chromium.click("[aria-label='Choose put-off-3']");

        chromium.clickButton("Reschedule");
        chromium.click("#confirm-yes");
        assertThat(chromium.run("return document.getElementById('confirm').open"))
                .as("a time must be given")
                .isEqualTo(true);
        chromium.find("#confirm-in").sendKeys("30");
        chromium.find("#confirm-unit").sendKeys("d");
        assertThat(chromium.confirm()).isEqualTo("When are the 2 chosen tasks to be due?");
        chromium.awaitToast("2 of 2 done.");
        assertThat(timesOf(ids).get(0)).isNotEqualTo(times.get(0));
        assertThat(timesOf(ids).get(1)).isEqualTo(times.get(1));

        chromium.click(".toast button");
        chromium.awaitToast("2 of 2 have their times back.");
        assertThat(timesOf(ids)).isEqualTo(times);
    }

    @Test
    void allThatMatchGetAnotherTimeOnceTheyAreCounted() {
        List<String> ids = List.of("later-1", "later-2", "later-3");
        scheduled("all-later", ids);
        chromium.open("/queues/" + PLAIN + "/tasks?state=scheduled&key=all-later");
        chromium.clickButton("Reschedule all that match");
        Chromium.await(() ->
                assertThat(chromium.find("#confirm-text").getText()).isEqualTo("When are all that match to be due?"));
        chromium.find("#confirm-in").sendKeys("90", Keys.ENTER);
        Chromium.await(() -> assertThat(chromium.find("#confirm-text").getText())
                .isEqualTo("Reschedule 3 tasks? All of them are due at the same time: in 90 minutes."
                        + " This cannot be undone."));
        Chromium.await(
                () -> assertThat(chromium.find("#confirm-in").isDisplayed()).isFalse());
        chromium.confirm();
        chromium.awaitToast("The operation is done: 3 tasks changed, 0 refused.");

        chromium.open("/operations");
        Chromium.await(() -> assertThat(chromium.texts("tbody tr"))
                .anySatisfy(row -> assertThat(row).contains("key: all-later", "at: +90m", "done", " 3 3 0 ")));
        assertThat(timesOf(ids)).containsOnly(timesOf(ids).get(0));
    }

    @Test
    void whoeverLooksAtATaskThatIsDeletedIsToldWhatBecameOfIt() {
        console.publishDead("leaver", "leaver");
        chromium.open("/queues/" + PLAIN + "/tasks/leaver");
        Chromium.await(() -> assertThat(chromium.find("h1").getText()).isEqualTo("leaver"));
        assertThat(console.api("DELETE", "queues/" + PLAIN + "/tasks/leaver?only=dead", "")
                        .status())
                .isEqualTo(202);

        Chromium.await(() -> assertThat(chromium.find("#gone").getText())
                .startsWith("Redis does not hold this task any more. It was dead: somebody has deleted or skipped it"));
        Chromium.await(() -> assertThat(chromium.find("h1").getText())
                .as("what is known stays")
                .isEqualTo("leaver"));
        Chromium.await(
                () -> assertThat(chromium.find(".head .actions").isDisplayed()).isFalse());
        assertThat(chromium.barriers()).isEmpty();
    }

    /** Publishes tasks that wait for their time, to the queue without an order. Returns their times. */
    private static List<String> scheduled(String key, List<String> ids) {
        ids.forEach(id -> console.publish(PLAIN, id, key, ",\"delay\":\"5h\""));
        ids.forEach(id -> console.awaitState(PLAIN, id, "scheduled"));
        return timesOf(ids);
    }

    private static List<String> timesOf(List<String> ids) {
        return ids.stream().map(id -> timeOf(PLAIN, id)).toList();
    }

    private static String timeOf(String queue, String id) {
        return console.api("GET", "queues/" + queue + "/tasks/" + id, "")
                .json()
                .path("at")
                .asString();
    }
}
