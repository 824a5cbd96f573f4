package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.Backoff;
import dev.tandem.api.Batch;
import dev.tandem.api.Result;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskHandler;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.settings.SettingsException;
import dev.tandem.spring.gateways.Orders;
import dev.tandem.spring.gateways.OrdersApplication;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Async;

/** Tests of what an application is told at its start. Nothing connects to a broker. */
class StartCheckTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class, TandemAutoConfiguration.class, TandemHealthAutoConfiguration.class))
            .withPropertyValues("tandem.queues.orders.source=kafka");

    private List<String> problems(ApplicationContextRunner runner) {
        List<String> problems = new ArrayList<>();
        runner.run(context -> {
            assertThat(context).hasFailed();
            Throwable failure = context.getStartupFailure();
            for (Throwable each = failure; each != null; each = each.getCause()) {
                if (each instanceof StartException problem) {
                    problems.addAll(problem.problems());
                    FailureAnalysis analysis = new StartFailureAnalyzer().analyze(failure);
                    assertThat(analysis.getDescription()).contains(problem.problems());
                } else if (each instanceof SettingsException problem) {
                    problems.addAll(problem.problems());
                    assertThat(new SettingsFailureAnalyzer().analyze(failure).getDescription())
                            .contains(problem.problems());
                }
            }
        });
        return problems;
    }

    record Ship(String order) {}

    interface Shape {}

    static class Unusable {

        @TaskHandler(queue = "orders", type = "two")
        void twoPayloads(Ship ship, String other) {}

        @TaskHandler(queue = "orders", type = "future")
        CompletableFuture<String> future(Ship ship) {
            return CompletableFuture.completedFuture("early");
        }

        @Async
        @TaskHandler(queue = "orders", type = "async")
        public void async(Ship ship) {}

        @TaskHandler(queue = "orders", type = "hidden")
        private void hidden(Ship ship) {}

        @TaskHandler(queue = "orders", type = "static")
        static void ofClass(Ship ship) {}

        @TaskHandler(queue = "orders", type = "shape")
        void shape(Shape shape) {}

        @TaskHandler(queue = "orders", type = "slow", timeout = "soon")
        void slow(Ship ship) {}

        @TaskHandler(queue = "orders", type = "wait", backoff = @Backoff(max = "5m"))
        void waits(Ship ship) {}

        @TaskHandler(queue = "orders", type = "one", batch = @Batch(maxSize = 2))
        void oneOfABatch(Ship ship) {}

        @TaskHandler(queue = "orders", type = "one-result", batch = @Batch(maxSize = 2))
        Result oneResult(List<Ship> ships) {
            return Result.done();
        }

        @TaskHandler(queue = "orders", type = "sizeless", batch = @Batch(maxWait = "1s"))
        void sizeless(List<Ship> ships) {}

        @TaskHandler(queue = "orders", type = "huge", batch = @Batch(maxSize = 201))
        void huge(List<Ship> ships) {}

        @TaskHandler(queue = "orders", type = "shapes", batch = @Batch(maxSize = 2))
        void shapes(List<Shape> shapes, List<TaskContext> tasks) {}

        @TaskHandler(queue = "orders", type = " ")
        void nameless(Ship ship) {}
    }

    @Test
    void theLogSaysWhichMethodsOfGatewaysSubmitTasksWithoutAnOrder() {
        GatewayMethod keyed = new GatewayMethod("shop.Tasks.ship", "orders", "ship", null, 1, 0, -1, false);
        GatewayMethod unkeyed = new GatewayMethod("shop.Tasks.bill", "orders", "bill", null, 0, -1, -1, true);
        GatewayMethod ofMail = new GatewayMethod("shop.Mail.send", "mail", "send", null, 0, -1, -1, true);
        application
                .withPropertyValues("tandem.queues.mail.source=rabbit")
                .run(context -> assertThat(StartCheck.report(
                                context.getBean(StartCheck.class).wiring(), List.of(keyed, unkeyed, ofMail)))
                        .contains(
                                "Queue orders: gateways submit bill, ship",
                                "Queue orders: tasks of shop.Tasks.bill have no order, because it has no parameter with"
                                        + " @Key")
                        .noneMatch(each -> each.contains("shop.Tasks.ship") || each.contains("shop.Mail.send")));
    }

    @Test
    void methodsThatCannotRunTasksStopTheStartWithARemedyForEach() {
        String name = Unusable.class.getName();

        assertThat(problems(application.withBean(Unusable.class)))
                .anyMatch(each -> each.startsWith(name + ".twoPayloads: the method has two parameters for the payload"))
                .anyMatch(each -> each.startsWith(name + ".future: the method returns CompletableFuture before"))
                .anyMatch(each -> each.startsWith(name + ".async: with @Async the method returns before"))
                .anyMatch(each -> each.startsWith(name + ".hidden: a private method cannot be called"))
                .anyMatch(each -> each.startsWith(name + ".ofClass: a static method belongs to no bean"))
                .anyMatch(each -> each.startsWith(name + ".shape: no payload can be read as"))
                .anyMatch(each -> each.startsWith(name + ".slow: The timeout 'soon' is no duration"))
                .anyMatch(each -> each.startsWith(name + ".waits: the backoff has no initial delay"))
                .anyMatch(each -> each.startsWith(name + ".nameless: the annotation's type is empty"))
                .anyMatch(each -> each.startsWith(name + ".oneOfABatch: with a batch the method gets several tasks"))
                .anyMatch(each -> each.startsWith(name + ".oneResult: with a batch the method gets several tasks"))
                .anyMatch(each -> each.startsWith(name + ".sizeless: the batch has no size"))
                .anyMatch(each -> each.startsWith(name + ".huge: The batch's maxSize is 201"))
                .anyMatch(each -> each.startsWith(name + ".shapes: no payload can be read as"))
                .hasSize(14);
    }

    static class Twice {

        @TaskHandler(queue = "orders", type = "ship")
        void ship(Ship ship) {}

        @TaskHandler(queue = "orders", type = "send", aliases = "ship")
        void send(Ship ship) {}
    }

    @Test
    void twoHandlersOfOneTypeAreRefusedAliasesToo() {
        assertThat(problems(application.withBean(Twice.class)))
                .singleElement()
                .asString()
                .contains("the type 'ship' of queue 'orders' has a handler already", "Twice.ship", "Twice.send");
    }

    static class OtherQueue {

        @TaskHandler(queue = "order", type = "ship")
        void ship(Ship ship) {}
    }

    @Test
    void aQueueThatTheSettingsDoNotHaveIsRefused() {
        assertThat(problems(application.withBean(OtherQueue.class)))
                .singleElement()
                .asString()
                .startsWith(OtherQueue.class.getName() + ".ship: the settings have no queue 'order'")
                .contains("tandem.queues.order.source", "orders");
    }

    static class Cancelling {

        @TaskHandler(queue = "orders", type = "cancel")
        void cancel(TaskContext task) {}
    }

    static class All extends Cancelling {

        @TaskHandler(queue = "orders", type = "ship")
        void ship(Ship ship) {}
    }

    private ApplicationContextRunner withGateway() {
        return application.withUserConfiguration(OrdersApplication.class);
    }

    @Test
    void aGatewaysTypeWithoutAHandlerIsRefusedWhereTheQueueIsRun() {
        assertThat(problems(withGateway().withBean(Cancelling.class)))
                .singleElement()
                .asString()
                .startsWith(Orders.class.getName() + ".ship: no handler of this application runs the type 'ship'")
                .contains("cancel");
        assertThat(problems(withGateway()
                        .withPropertyValues("tandem.queues.orders.ordering=none")
                        .withBean(Cancelling.class)))
                .anyMatch(each -> each.contains("it has a @Key, but the queue 'orders' has no order"));
    }

    @Test
    void anApplicationThatRunsNothingMaySubmitAnything() {
        withGateway().run(context -> assertThat(context).hasNotFailed().hasSingleBean(Orders.class));
        withGateway()
                .withPropertyValues("tandem.executor.enabled=false")
                .withBean(Cancelling.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(TandemLifecycle.class).status()).isNull();
                });
        // What other programs run is theirs to know.
        withGateway()
                .withPropertyValues("tandem.queues.mail.source=kafka", "tandem.executor.enabled=false")
                .withBean(All.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aGatewaysQueueMustBeInTheSettings() {
        ApplicationContextRunner other = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, TandemAutoConfiguration.class))
                .withUserConfiguration(OrdersApplication.class)
                .withPropertyValues("tandem.queues.order.source=kafka");

        assertThat(problems(other))
                .anyMatch(each ->
                        each.contains("the settings have no queue 'orders'") && each.contains("or name one of"));
    }

    @Test
    void mistypedSettingsAreRefused() {
        assertThat(problems(application.withPropertyValues("tandem.enable=true")))
                .singleElement()
                .asString()
                .startsWith("tandem.enable is 'true': there is no such setting");
    }

    @Test
    void switchedOffNothingRunsAndGatewaysRefuse() {
        withGateway()
                .withPropertyValues("tandem.enabled=false", "tandem.queues.orders.source=nonsense")
                .withBean(Unusable.class)
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(TandemLifecycle.class);
                    assertThatThrownBy(() -> context.getBean(Orders.class).ship("c-7", "o-7"))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("tandem.enabled is 'false'");
                    assertThatThrownBy(() ->
                                    context.getBean(TaskClient.class).submit(TaskRequest.of("orders", "ship", "o-7")))
                            .isInstanceOf(IllegalStateException.class);
                });
    }

    @Test
    void nothingIsExportedThatTheApplicationHasOfItsOwn() {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            for (String name : context.getBeanDefinitionNames()) {
                Class<?> type = context.getType(name);
                assertThat(type == null ? "" : type.getName())
                        .doesNotStartWith("org.apache.kafka")
                        .doesNotStartWith("org.springframework.kafka")
                        .doesNotStartWith("io.lettuce")
                        .doesNotStartWith("com.rabbitmq");
            }
        });
    }

    @Test
    void whatTheApplicationDoesNotHaveIsNotNeeded() {
        withGateway()
                .withClassLoader(new FilteredClassLoader(
                        "io.micrometer", "org.springframework.transaction", "org.springframework.boot.health"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Orders.class));
    }

    @Test
    void healthSaysWhatCannotBeReachedInTheWordsOfTheSettings() {
        withGateway()
                .withPropertyValues(
                        "tandem.kafka.bootstrap-servers=127.0.0.1:1",
                        "tandem.redis.uri=redis://127.0.0.1:1",
                        "tandem.executor.drain-timeout=1s")
                .withBean(All.class)
                .run(context -> {
                    Health health = Objects.requireNonNull(
                            context.getBean(HealthIndicator.class).health());
                    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                    assertThat(String.valueOf(health.getDetails().get("problems")))
                            .contains("tandem.redis.uri: ", "tandem.kafka.bootstrap-servers: ");
                });
    }

    @Test
    void handlersStopBeforeEverythingElse() {
        application.run(context ->
                assertThat(context.getBean(TandemLifecycle.class).getPhase()).isEqualTo(Integer.MAX_VALUE));
    }

    @Test
    void withLazyInitialisationTheHandlersAreFoundToo() {
        assertThat(problems(application
                        .withInitializer(context ->
                                context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                        .withBean(Twice.class)))
                .hasSize(1);
    }
}
