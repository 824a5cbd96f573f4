package dev.tandem.spring.it;

import static dev.tandem.api.TaskOptions.NONE;
import static dev.tandem.api.TaskOptions.delay;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskResults;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.TandemBuilder;
import dev.tandem.spring.shop.Journal;
import dev.tandem.spring.shop.Receipt;
import dev.tandem.spring.shop.Ship;
import dev.tandem.spring.shop.Shop;
import dev.tandem.spring.shop.ShopTasks;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A Spring Boot application with handlers and a gateway, over one kind of broker. */
abstract class StarterSuite {

    private final String queue = UniqueNames.fresh("shop");

    /** Returns where the broker is, as a setting. */
    abstract String broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    private ConfigurableApplicationContext start(String... more) {
        ConfigurableApplicationContext context = run(more);
        awaitHealthy(context);
        return context;
    }

    private ConfigurableApplicationContext run(String... more) {
        return new SpringApplicationBuilder(Shop.class)
                .properties(settings().toArray(String[]::new))
                .properties("shop.queue=" + queue)
                .properties(more)
                .run();
    }

    private List<String> settings() {
        String settings = "tandem.queues." + queue + ".";
        return List.of(
                broker(),
                "tandem.redis.uri=" + Brokers.redis().uri(),
                // Nobody takes over because of a lease that has run out.
                "tandem.executor.lease=5m",
                settings + "source=" + source(),
                settings + "ordering=key",
                settings + "partitions=4",
                settings + "max-attempts=8",
                settings + "max-result-bytes=1KB",
                settings + "backoff.initial=10m");
    }

    private static void awaitHealthy(ConfigurableApplicationContext context) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            Health health = health(context);
            assertThat(health.getStatus()).as("%s", health).isEqualTo(Status.UP);
        });
    }

    private static Health health(ConfigurableApplicationContext context) {
        return Objects.requireNonNull(
                context.getBean("tandemHealthIndicator", HealthIndicator.class).health());
    }

    private static void awaitRan(ConfigurableApplicationContext context, String... lines) {
        Journal journal = context.getBean(Journal.class);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(journal.lines()).contains(lines));
    }

    @Test
    void everyKindOfHandlerRunsWhatTheGatewaySubmits() throws InterruptedException {
        try (ConfigurableApplicationContext context = start()) {
            ShopTasks tasks = context.getBean(ShopTasks.class);
            TaskRef<Receipt> shipped = tasks.ship("c-7", new Ship("o-7", 2));
            assertThat(shipped.await(PATIENCE).queue()).isEqualTo(queue);
            assertThat(context.getBean(TaskResults.class).await(shipped, Receipt.class, PATIENCE))
                    .as("what the method returned")
                    .extracting(Receipt::order)
                    .isEqualTo("o-7");
            tasks.shipOne("c-8", "o-8").await(PATIENCE);
            tasks.ship("later", new Ship("o-9", 5), delay("1s")).await(PATIENCE);
            tasks.shipAll(List.of(new Ship("o-1", 1), new Ship("o-2", 1))).await(PATIENCE);
            tasks.cancel("o-3", NONE);
            tasks.revoke("o-4");
            tasks.bill(new Ship("o-5", 1));
            tasks.refund(new Ship("o-6", 1));

            awaitRan(
                    context,
                    "ship c-7 2 attempt 1",
                    "ship c-8 1 attempt 1",
                    "ship later 5 attempt 1",
                    "ship-all o-2",
                    "cancel o-3 attempt 2",
                    "revoke o-4 attempt 2",
                    "bill o-5 in transaction true",
                    "refund o-6 in transaction true");
        }
    }

    @Test
    void aKeyStaysInOrderWhileItsTaskIsRetriedAndADeadOneIsFinal() {
        try (ConfigurableApplicationContext context = start()) {
            ShopTasks tasks = context.getBean(ShopTasks.class);
            tasks.ship("a", new Ship("flaky", 1));
            tasks.ship("a", new Ship("o-2", 2));
            tasks.ship("dead", new Ship("impossible", 0));
            awaitRan(context, "ship a 2 attempt 1", "ship dead 0 attempt 1");

            assertThat(context.getBean(Journal.class).lines())
                    .filteredOn(line -> line.startsWith("ship a"))
                    .containsExactly(
                            "ship a 1 attempt 1", "ship a 1 attempt 2", "ship a 1 attempt 3", "ship a 2 attempt 1");
            assertThat(context.getBean(Journal.class).lines()).doesNotContain("ship dead 0 attempt 2");
        }
    }

    @Test
    void tasksOfATransactionAreSentAfterItsCommitAndNotAfterARollback() {
        try (ConfigurableApplicationContext context = start()) {
            ShopTasks tasks = context.getBean(ShopTasks.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            List<TaskRef<Receipt>> refs = new ArrayList<>();
            transaction.executeWithoutResult(status -> {
                refs.add(tasks.ship("a", new Ship("rolled-back", 1)));
                assertThatThrownBy(() -> context.getBean(TaskResults.class).await(refs.get(0), Receipt.class, PATIENCE))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("await it after the transaction");
                status.setRollbackOnly();
            });
            transaction.executeWithoutResult(status -> {
                refs.add(tasks.ship("a", new Ship("committed", 2)));
                // A method that returns nothing does not wait in here.
                tasks.bill(new Ship("billed", 1));
                assertThat(refs.get(1).accepted()).isNotDone();
                assertThatThrownBy(() -> refs.get(1).await(PATIENCE))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("await it after the transaction");
            });
            tasks.ship("a", new Ship("last", 3));

            awaitRan(context, "ship a 2 attempt 1", "ship a 3 attempt 1", "bill billed in transaction true");
            assertThat(context.getBean(Journal.class).lines()).doesNotContain("ship a 1 attempt 1");
            assertThat(refs.get(0).accepted()).isCompletedExceptionally();
        }
    }

    @Test
    void anotherApplicationGoesOnAtOnceAfterAStop() {
        try (ConfigurableApplicationContext context = start()) {
            context.getBean(ShopTasks.class).ship("first", new Ship("o-0", 0));
            awaitRan(context, "ship first 0 attempt 1");
        }
        try (ConfigurableApplicationContext context = start()) {
            ShopTasks tasks = context.getBean(ShopTasks.class);
            // So many keys that every partition has some.
            IntStream.range(0, 40).forEach(i -> tasks.ship("key-" + i, new Ship("o", i)));

            awaitRan(
                    context,
                    IntStream.range(0, 40)
                            .mapToObj(i -> "ship key-" + i + " " + i + " attempt 1")
                            .toArray(String[]::new));
        }
    }

    @Test
    void aStopWaitsForTheHandlersThatRunAndRunsAreMeasured() {
        ConfigurableApplicationContext context = start();
        Journal journal = context.getBean(Journal.class);
        MeterRegistry meters = context.getBean(MeterRegistry.class);
        try (context) {
            context.getBean(ShopTasks.class).slow("o-1");
            awaitRan(context, "slow o-1 begun");
        }
        assertThat(journal.lines()).endsWith("slow o-1 ended");
        assertThat(meters.get("tandem.task.run")
                        .tags("queue", queue, "type", "slow", "outcome", "succeeded")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void anApplicationThatLacksHandlersOfItsQueueIsRefusedUntilTheOtherProgramHasLeft() {
        TandemBuilder program = Tandem.builder();
        settings()
                .forEach(each ->
                        program.setting(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1)));
        try (Tandem earlier = program.queue(queue)
                        .handler("other", byte[].class, (payload, task) -> {})
                        .start();
                ConfigurableApplicationContext context = run(
                        "tandem.queues." + queue + ".unknown-type-grace=1s",
                        "tandem.queues." + queue + ".handlers-mismatch=refuse")) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(health(context).toString())
                            .contains("DOWN", "tandem.queues." + queue + ": refused", "'other'", "handlers-mismatch"));
            assertThat(earlier.status().problems()).isEmpty();

            earlier.close();
            awaitHealthy(context);
            context.getBean(ShopTasks.class).ship("c-7", new Ship("o-7", 2));
            awaitRan(context, "ship c-7 2 attempt 1");
        }
    }

    @Test
    void aBatchMethodGetsSeveralTasksAndEachEndsByItself() {
        try (ConfigurableApplicationContext context = start()) {
            ShopTasks tasks = context.getBean(ShopTasks.class);
            tasks.pack("a", new Ship("o-1", 1));
            tasks.pack("b", new Ship("flaky", 2));
            tasks.pack("c", "no ship");

            // The batch is full with three, one of which cannot be read and is dead.
            awaitRan(
                    context,
                    "packed 2",
                    "pack o-1 attempt 1 of 3",
                    "pack flaky attempt 1 of 3",
                    "pack flaky attempt 2 of 1");
            assertThat(context.getBean(MeterRegistry.class)
                            .get("tandem.task.batch")
                            .tags("queue", queue, "type", "pack")
                            .summary()
                            .max())
                    .isEqualTo(3);
        }
    }

    @Test
    void aStoppedContextCanStartAgain() {
        try (ConfigurableApplicationContext context = start()) {
            context.stop();
            context.start();
            awaitHealthy(context);
            context.getBean(ShopTasks.class).ship("again", new Ship("o", 1));
            awaitRan(context, "ship again 1 attempt 1");
        }
    }

    private List<SpanData> spans(ConfigurableApplicationContext context, String operation) {
        return context.getBean(InMemorySpanExporter.class).getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(operation + " " + queue))
                .toList();
    }

    @Test
    void submissionsAndRunsAreTracedByTheOpenTelemetryOfTheApplication() {
        try (ConfigurableApplicationContext context = start()) {
            context.getBean(ShopTasks.class).ship("a", new Ship("flaky", 1));
            awaitRan(context, "ship a 1 attempt 3");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(spans(context, "process")).hasSize(3));

            SpanData submission = spans(context, "publish").get(0);
            assertThat(spans(context, "process"))
                    .allSatisfy(run -> assertThat(run.getLinks())
                            .extracting(link -> link.getSpanContext().getSpanId())
                            .containsExactly(submission.getSpanId()));
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.find("tandem.task.process").timer())
                    .as("a second span of each run")
                    .isNull();
            await().atMost(PATIENCE)
                    .ignoreException(MeterNotFoundException.class)
                    .untilAsserted(() -> assertThat(meters.get("tandem.task.attempts")
                                    .tags("queue", queue, "type", "ship", "outcome", "succeeded")
                                    .summary()
                                    .max())
                            .isEqualTo(3));
            assertThat(meters.get("tandem.task.wait")
                            .tags("queue", queue, "type", "ship")
                            .timer()
                            .count())
                    .isEqualTo(1);
        }
    }

    @Test
    void submissionsAndRunsAreObservedWhereNothingTracesThem() {
        try (ConfigurableApplicationContext context = start("tandem.tracing.mode=off")) {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            context.getBean(ShopTasks.class).ship("a", new Ship("o-1", 1));

            await().atMost(PATIENCE)
                    .ignoreException(MeterNotFoundException.class)
                    .untilAsserted(() -> assertThat(meters.get("tandem.task.process")
                                    .tags("queue", queue, "type", "ship", "outcome", "succeeded", "error", "none")
                                    .timer()
                                    .count())
                            .isEqualTo(1));
            await().atMost(PATIENCE)
                    .ignoreException(MeterNotFoundException.class)
                    .untilAsserted(() -> assertThat(meters.get("tandem.task.submit")
                                    .tags("queue", queue, "type", "ship", "error", "none")
                                    .timer()
                                    .count())
                            .isEqualTo(1));
            assertThat(spans(context, "process")).isEmpty();
        }
    }

    @Test
    void aRecurringMethodIsFiredOnceForEachInstantByAllInstances() {
        String id = UniqueNames.fresh("report");
        String[] everySecond = {"shop.report=" + id, "shop.report.cron=* * * * * *"};
        try (ConfigurableApplicationContext one = start(everySecond);
                ConfigurableApplicationContext two = start(everySecond)) {
            await().atMost(PATIENCE).until(() -> reports(one, two, id).size() >= 4);
            assertThat(reports(one, two, id)).doesNotHaveDuplicates();
            double fired = Stream.of(one, two)
                    .map(each -> each.getBean(MeterRegistry.class)
                            .find("tandem.schedule.firings")
                            .tags("schedule", id, "queue", queue)
                            .counter())
                    .mapToDouble(each -> each == null ? 0 : each.count())
                    .sum();
            assertThat(fired).isGreaterThanOrEqualTo(3);
        }
    }

    private static List<String> reports(
            ConfigurableApplicationContext one, ConfigurableApplicationContext two, String id) {
        return Stream.of(one, two)
                .flatMap(each -> each.getBean(Journal.class).lines().stream())
                .filter(each -> each.startsWith("report " + id + "@"))
                .toList();
    }
}
