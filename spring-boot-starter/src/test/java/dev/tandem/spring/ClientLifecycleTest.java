package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TaskType;
import dev.tandem.client.TandemClient;
import dev.tandem.kafka.KafkaSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.support.TransactionTemplate;

/** The client's bean from its making to its end. */
class ClientLifecycleTest {

    private final List<String> events = new ArrayList<>();

    @TaskGateway(queue = "orders")
    interface Tasks {

        @TaskType("bye")
        TaskRef<Void> bye(String text);
    }

    @TaskGateway(queue = "orders")
    interface Notes {

        @TaskType("note")
        void note(String text);
    }

    /** Submits when it is made and when it is destroyed. */
    static final class Shop implements DisposableBean {

        private final Tasks tasks;

        Shop(Tasks tasks) {
            this.tasks = tasks;
        }

        void open() {
            tasks.bye("opened");
        }

        @Override
        public void destroy() {
            tasks.bye("closed");
        }
    }

    private final class Client implements TaskClient {

        @Override
        public <T> TaskRef<T> submit(TaskRequest<T> task) {
            events.add(String.valueOf(task.payload()));
            return new Ref<>();
        }

        @Override
        public List<TaskRef<?>> submitAll(List<? extends TaskRequest<?>> tasks) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            events.add("the client is closed");
        }
    }

    private static final class Ref<T> implements TaskRef<T> {

        @Override
        public String id() {
            return "1";
        }

        @Override
        public String queue() {
            return "orders";
        }

        @Override
        public CompletableFuture<TaskRef<T>> accepted() {
            return CompletableFuture.completedFuture(this);
        }

        @Override
        public TaskRef<T> await(Duration timeout) {
            return this;
        }
    }

    @Test
    void beansThatHaveAGatewayAreDestroyedBeforeTheClient() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition(
                "client",
                BeanDefinitionBuilder.genericBeanDefinition(TaskClient.class, Client::new)
                        .setLazyInit(true)
                        .setDestroyMethodName("close")
                        .getBeanDefinition());
        beans.registerBeanDefinition(
                "tasks",
                BeanDefinitionBuilder.genericBeanDefinition(GatewayFactoryBean.class)
                        .addConstructorArgValue(Tasks.class)
                        .getBeanDefinition());
        beans.registerBeanDefinition(
                "shop",
                BeanDefinitionBuilder.genericBeanDefinition(Shop.class)
                        .setAutowireMode(DefaultListableBeanFactory.AUTOWIRE_CONSTRUCTOR)
                        .getBeanDefinition());
        beans.preInstantiateSingletons();
        assertThat(beans.containsSingleton("client")).as("it is made late").isFalse();
        beans.getBean(Shop.class).open();

        beans.destroySingletons();

        assertThat(events).containsExactly("opened", "closed", "the client is closed");
    }

    @Test
    void aVoidMethodWhoseTaskIsLostAfterTheCommitIsCounted() {
        EmbeddedDatabase database = new EmbeddedDatabaseBuilder()
                .setType(EmbeddedDatabaseType.H2)
                .generateUniqueName(true)
                .build();
        SpringTransactions transactions = new SpringTransactions();
        KafkaSettings nowhere = KafkaSettings.of("127.0.0.1:1", "orders").withProperties(Map.of("max.block.ms", "300"));
        try (TandemClient client =
                TandemClient.builder().queue(nowhere).transactions(transactions).build()) {
            Notes notes = (Notes) Proxy.newProxyInstance(
                    Notes.class.getClassLoader(),
                    new Class<?>[] {Notes.class},
                    Gateway.of(Notes.class, text -> text, () -> client, () -> transactions));
            long before = System.nanoTime();
            new TransactionTemplate(new DataSourceTransactionManager(database)).executeWithoutResult(status -> {
                for (int i = 0; i < 100; i++) {
                    notes.note("n" + i);
                }
            });

            assertThat(client.lostAfterCommit()).isEqualTo(100);
            assertThat(Duration.ofNanos(System.nanoTime() - before))
                    .as("100 waits take 30 s")
                    .isLessThan(Duration.ofSeconds(15));
        } finally {
            database.shutdown();
        }
    }

    @Test
    void whatIsLostAfterCommitsIsMeasured() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, TandemAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues("tandem.queues.orders.source=kafka")
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    assertThat(registry.find("tandem.client.lost").functionCounter())
                            .isNull();
                    assertThat(context.getBean(TaskClient.class)).isInstanceOf(TandemClient.class);
                    assertThat(registry.get("tandem.client.lost")
                                    .functionCounter()
                                    .count())
                            .isZero();
                });
    }
}
