package dev.tandem.test;

import static dev.tandem.api.TaskOptions.delay;
import static dev.tandem.api.TaskOptions.maxAttempts;
import static dev.tandem.api.TaskOptions.timeout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.CloudEventMode;
import dev.tandem.api.HandlerOptions;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.test.TestedTask.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TestTandemTest {

    record Ship(String order, int items) {}

    private static final HandlerOptions OPTIONS = HandlerOptions.NONE
            .withMaxAttempts(3)
            .withTimeout("30s")
            .withBackoff(RetryPolicy.exponential(Duration.ofSeconds(10), 2, Duration.ofHours(1), 0.2))
            .withDeadOn(ArithmeticException.class);

    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private volatile int failures;

    private final TestTandem tandem = TestTandem.start(TestTandem.program()
            .queue("orders")
            .handler("ship", Ship.class, this::ship, OPTIONS)
            .handler("hang", String.class, (text, task) -> Thread.sleep(60_000), OPTIONS)
            .queue("mail")
            .setting("ordering", "none")
            .handler("mail", String.class, (text, task) -> ran.add(text)));

    private void ship(Ship ship, TaskContext task) {
        Map<String, String> event = task.cloudEvent();
        if (!event.isEmpty()) {
            events.add(event.get("source") + " " + event.get("type") + " " + event.get("datacontenttype"));
        }
        int attempt = task.attempt();
        ran.add(ship.order() + " " + attempt);
        if (ship.order().equals("impossible")) {
            throw new ArithmeticException("there is no such order");
        }
        if (ship.order().startsWith("flaky") && attempt <= failures) {
            throw new IllegalStateException("the carrier is away");
        }
    }

    @AfterEach
    void close() {
        tandem.close();
    }

    private void submit(String key, String order, TaskOptions... options) {
        tandem.client()
                .submit(TaskRequest.of("orders", "ship", new Ship(order, 1))
                        .withKey(key)
                        .with(options));
    }

    @Test
    void aTaskRunsWithoutAnyWaiting() {
        submit("c-7", "o-7");

        tandem.assertThat("ship")
                .succeeded()
                .attempts(1)
                .count(1)
                .withKey("c-7")
                .withPayload(new Ship("o-7", 1));
        assertThat(ran).containsExactly("o-7 1");
        assertThat(tandem.tasks("ship").get(0).state()).isEqualTo(State.SUCCEEDED);
    }

    @ParameterizedTest
    @EnumSource
    void aCloudEventRunsAsItsHandlerWouldSeeItInProduction(CloudEventMode mode) {
        submit("c-7", "o-7", TaskOptions.cloudEvent("/shop", mode));

        tandem.assertThat("ship").succeeded().withKey("c-7").withPayload(new Ship("o-7", 1));
        assertThat(events).containsExactly("/shop ship application/json");
    }

    @Test
    void aDelayedTaskRunsAtItsTimeAndNotBefore() {
        Instant begin = tandem.now();
        submit("c-7", "o-7", delay("5m"));

        tandem.advance("4m").assertThat("ship").isWaiting().attempts(0);
        tandem.advance("10m").assertThat("ship").succeeded().attempts(1);
        assertThat(tandem.now()).isEqualTo(begin.plus(Duration.ofMinutes(14)));
        assertThat(tandem.tasks("ship").get(0).runs().get(0).startedAt()).isEqualTo(begin.plus(Duration.ofMinutes(5)));
    }

    @Test
    void aFailedTaskIsTriedAgainWithTheDelaysOfItsBackoffAndHoldsItsKey() {
        failures = 2;
        Instant begin = tandem.now();
        submit("c-7", "flaky");
        submit("c-7", "o-2");
        submit("c-8", "o-3");
        tandem.runDue();

        assertThat(ran).containsExactly("flaky 1", "o-3 1");
        tandem.assertThat("ship").withKey("c-7").isWaiting();
        tandem.advance("9s");
        assertThat(ran).hasSize(2);
        tandem.advance("1m")
                .assertThat("ship")
                .succeeded()
                .ranInOrder(new Ship("o-3", 1), new Ship("flaky", 1), new Ship("o-2", 1));
        assertThat(tandem.tasks().get(0).runs())
                .extracting(each -> Duration.between(begin, each.startedAt()).toSeconds())
                .containsExactly(0L, 10L, 30L);
    }

    @Test
    void aTaskDiesAfterItsLastAttemptAndAtOnceOfAFinalError() {
        failures = 9;
        submit("c-7", "flaky");
        submit("c-8", "flaky2", maxAttempts(1));
        submit("c-9", "impossible");

        tandem.assertThat("ship").withKey("c-8").isDead("the carrier is away").attempts(1);
        tandem.assertThat("ship")
                .withKey("c-9")
                .isDead("there is no such order")
                .attempts(1);
        tandem.advance("1h").assertThat("ship").isDead().withKey("c-7").attempts(3);
    }

    @Test
    void aHandlerThatHangsIsInterruptedAtItsTimeout() {
        tandem.patience(Duration.ofMillis(300));
        tandem.client()
                .submit(TaskRequest.of("orders", "hang", "x").withKey("c-7").with(maxAttempts(1), timeout("5s")));

        tandem.advance("5100ms");

        tandem.assertThat("hang").isDead().attempts(1);
        assertThat(tandem.tasks().get(0).runs().get(0).end()).contains("timeout");
    }

    @Test
    void aHandlerThatRunsForTooLongIsNamed() {
        tandem.patience(Duration.ofMillis(300));
        tandem.client().submit(TaskRequest.of("orders", "hang", "x").withKey("c-7"));

        assertThatThrownBy(() -> tandem.advance("5s"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("type 'hang'")
                .hasMessageContaining("Thread.sleep");
    }

    @Test
    void tasksFarAheadAreSoonReached() {
        submit("c-7", "o-7", delay("300d"));

        tandem.advance("299d").assertThat("ship").isWaiting();
        tandem.advance("1d").assertThat("ship").succeeded();
    }

    @Test
    void manyKeysKeepTheirOrderThroughRetries() {
        failures = 1;
        tandem.concurrency(8);
        for (int i = 0; i < 600; i++) {
            submit("c-" + i % 20, (i % 7 == 0 ? "flaky" : "o") + "-" + i);
        }

        tandem.advance("1h").assertThat("ship").succeeded().count(600);
        for (int key = 0; key < 20; key++) {
            List<TestedTask> tasks =
                    tandem.assertThat("ship").withKey("c-" + key).tasks();
            assertThat(tasks).hasSize(30);
            Object[] payloads = tasks.stream()
                    .map(each -> new Ship(each.text().replaceAll(".*order\":\"([^\"]*)\".*", "$1"), 1))
                    .toArray();
            tandem.assertThat("ship").withKey("c-" + key).ranInOrder(payloads);
        }
    }

    @Test
    void aResetForgetsTheTasks() {
        submit("c-7", "o-7", delay("5m"));
        tandem.advance("1m").reset();

        assertThat(tandem.tasks()).isEmpty();
        tandem.advance("10m");
        assertThat(ran).isEmpty();
        submit("c-7", "o-8");
        tandem.assertThat("ship").succeeded();
    }

    @Test
    void theRulesOfTheClientHold() {
        assertThatThrownBy(() -> tandem.client().submit(TaskRequest.of("order", "ship", "")))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("orders");
        assertThatThrownBy(() -> tandem.client()
                        .submit(TaskRequest.of("mail", "mail", "").withKey("k")))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("no order");
    }

    @Test
    void aFailedAssertionShowsWhatHappened() {
        failures = 1;
        submit("c-7", "flaky");

        assertThatThrownBy(() -> tandem.assertThat("ship").succeeded())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the state SUCCEEDED, but 1 of 1 differ")
                .hasMessageContaining("key c-7")
                .hasMessageContaining("attempt 1")
                .hasMessageContaining("the carrier is away");
        assertThatThrownBy(() -> tandem.assertThat("shop").succeeded()).hasMessageContaining("there is none");
        tandem.assertThat("shop").isNotSubmitted();
    }

    @Test
    void aTypeWithoutAHandlerWaitsForTheGraceAndIsDeadThen() {
        tandem.client().submit(TaskRequest.of("orders", "sink", "x"));

        tandem.assertThat("sink").isWaiting().attempts(0);
        tandem.advance("10m");
        tandem.assertThat("sink").isDead("sink").attempts(0);
    }
}
