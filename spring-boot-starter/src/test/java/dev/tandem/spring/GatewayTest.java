package dev.tandem.spring;

import static dev.tandem.api.TaskOptions.cloudEvent;
import static dev.tandem.api.TaskOptions.delay;
import static dev.tandem.api.TaskOptions.maxAttempts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.CloudEventMode;
import dev.tandem.api.CloudEventSettings;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.Key;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TaskType;
import dev.tandem.client.TransactionBoundary;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class GatewayTest {

    private final List<TaskRequest<?>> submitted = new ArrayList<>();
    private int awaited;

    /** Accepts every task. */
    private final class Client implements TaskClient {

        @Override
        @SuppressWarnings("unchecked")
        public <T> TaskRef<T> submit(TaskRequest<T> task) {
            submitted.add(task);
            return (TaskRef<T>) new Ref();
        }

        @Override
        public List<TaskRef<?>> submitAll(List<? extends TaskRequest<?>> tasks) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private final class Ref implements TaskRef<Object> {

        @Override
        public String id() {
            return "1";
        }

        @Override
        public String queue() {
            return "orders";
        }

        @Override
        public CompletableFuture<TaskRef<Object>> accepted() {
            return CompletableFuture.completedFuture(this);
        }

        @Override
        public TaskRef<Object> await(Duration timeout) {
            awaited++;
            return this;
        }
    }

    private <T> T gateway(Class<T> type) {
        Gateway gateway = Gateway.of(type, text -> text, Client::new, () -> TransactionBoundary.NONE);
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, gateway));
    }

    @Retention(RetentionPolicy.RUNTIME)
    @TaskGateway(queue = "orders")
    @interface OrdersGateway {}

    @OrdersGateway
    interface Tasks {

        @TaskType("ship")
        TaskRef<String> ship(@Key Object customer, String order, TaskOptions... options);

        @TaskType("note")
        void note(String text);

        @TaskType("later")
        TaskRef<Void> later(TaskOptions options, String text);

        default TaskRef<String> ship(int customer) {
            return ship(customer, "o-" + customer);
        }

        static String fixed() {
            return "fixed";
        }
    }

    @Test
    void argumentsGoWhereTheyBelong() {
        Tasks tasks = gateway(Tasks.class);
        TaskRef<String> ref = tasks.ship(7, "o-7", delay("5m"), maxAttempts(3));
        tasks.later(delay("1h"), "text");
        tasks.ship(8);

        assertThat(ref.id()).isEqualTo("1");
        assertThat(submitted)
                .containsExactly(
                        new TaskRequest<>(
                                "orders", "ship", "7", "o-7", delay("5m").and(maxAttempts(3))),
                        new TaskRequest<>("orders", "later", null, "text", delay("1h")),
                        new TaskRequest<>("orders", "ship", "8", "o-8", TaskOptions.NONE));
        assertThat(awaited).isZero();
    }

    @Test
    void aMethodWithoutAResultWaitsForTheAcknowledgement() {
        gateway(Tasks.class).note("text");

        assertThat(awaited).isEqualTo(1);
    }

    @Test
    void aNullKeyIsRefused() {
        assertThatThrownBy(() -> gateway(Tasks.class).ship(null, "o-7"))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("Tasks.ship is null");
    }

    @Test
    void methodsOfObjectAreNotTasks() {
        Tasks tasks = gateway(Tasks.class);

        assertThat(tasks)
                .isEqualTo(tasks)
                .isNotEqualTo(gateway(Tasks.class))
                .hasToString("TaskGateway[" + Tasks.class.getName() + ", queue=orders]");
        assertThat(tasks.hashCode()).isEqualTo(tasks.hashCode());
        assertThat(submitted).isEmpty();
    }

    @TaskGateway(queue = "orders")
    interface Wrong {

        TaskRef<Void> untyped(String text);

        @TaskType("result")
        String result(String text);

        @TaskType("empty")
        void empty(@Key String key);

        @TaskType("two")
        void two(String text, String more);

        @TaskType("keys")
        void keys(@Key String key, @Key String other, String text);
    }

    @Test
    void methodsThatCannotSubmitTasksAreRefusedWithARemedyForEach() {
        assertThatThrownBy(() -> gateway(Wrong.class))
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll(
                        "Wrong.untyped: the method has no task type: add @TaskType(\"untyped\")",
                        "Wrong.result: the method returns String: a task runs later and elsewhere, so return"
                                + " TaskRef<String>",
                        "Wrong.empty: the method has no parameter for the payload",
                        "Wrong.two: the method has two parameters for the payload",
                        "Wrong.keys: the method has two keys");
    }

    @TaskGateway(
            queue = "orders",
            cloudEvents = @CloudEventSettings(source = "/shop", mode = CloudEventMode.STRUCTURED))
    interface Events {

        @TaskType("ship")
        TaskRef<Void> ship(String order, TaskOptions... options);
    }

    @TaskGateway(queue = "orders", cloudEvents = @CloudEventSettings(mode = CloudEventMode.STRUCTURED))
    interface Sourceless {}

    @Test
    void aGatewayPublishesItsTasksAsCloudEvents() {
        gateway(Events.class).ship("o-7", delay("5m"));

        assertThat(submitted)
                .containsExactly(new TaskRequest<>(
                        "orders",
                        "ship",
                        null,
                        "o-7",
                        cloudEvent("/shop", CloudEventMode.STRUCTURED).and(delay("5m"))));
        assertThatThrownBy(() -> gateway(Sourceless.class))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("have no source");
    }

    @TaskGateway(queue = "orders")
    static class NoInterface {}

    @Test
    void aClassIsNoGateway() {
        assertThatThrownBy(() -> gateway(NoInterface.class)).hasMessageContaining("belongs on an interface");
    }
}
