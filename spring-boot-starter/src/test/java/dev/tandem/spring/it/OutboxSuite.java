package dev.tandem.spring.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.outbox.Outbox;
import dev.tandem.spring.shop.Journal;
import dev.tandem.spring.shop.Receipt;
import dev.tandem.spring.shop.Ship;
import dev.tandem.spring.shop.Shop;
import dev.tandem.spring.shop.ShopTasks;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A Spring Boot application whose PostgreSQL has the outbox, over one kind of broker. */
abstract class OutboxSuite {

    private final String queue = UniqueNames.fresh("shop");
    private final PGSimpleDataSource database = new PGSimpleDataSource();

    /** Kept, because the data source leaves the user out of its own. */
    private String url;

    /** Returns where the broker is, as a setting. */
    abstract String broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    @BeforeEach
    void createDatabase() throws SQLException, IOException {
        String schema = UniqueNames.fresh("shop").replace('-', '_');
        database.setUrl(Brokers.postgres().address());
        execute("CREATE SCHEMA " + schema);
        url = Brokers.postgres().address() + "&currentSchema=" + schema;
        database.setUrl(url);
        try (InputStream script = Outbox.class.getResourceAsStream("/db/tandem/postgresql/V1__tandem_outbox.sql")) {
            execute(new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8));
        }
        execute("CREATE TABLE orders (name text)");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private long waiting() {
        return number("SELECT count(*) FROM tandem_outbox");
    }

    private List<String> settings(String... more) {
        String settings = "tandem.queues." + queue + ".";
        return Stream.concat(
                        Stream.of(
                                broker(),
                                "tandem.redis.uri=" + Brokers.redis().uri(),
                                // No partition is taken over because of a lease that has run out.
                                "tandem.executor.lease=5m",
                                "tandem.outbox.lease=2s",
                                "shop.queue=" + queue,
                                "shop.database=" + url,
                                settings + "source=" + source(),
                                settings + "ordering=key",
                                settings + "partitions=4",
                                settings + "max-attempts=8",
                                settings + "backoff.initial=10m"),
                        Stream.of(more))
                .toList();
    }

    private ConfigurableApplicationContext start(String... more) {
        return new SpringApplicationBuilder(Shop.class)
                .properties(settings(more).toArray(String[]::new))
                .run();
    }

    private static TransactionTemplate transaction(ConfigurableApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static void awaitRan(ConfigurableApplicationContext context, String... lines) {
        Journal journal = context.getBean(Journal.class);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(journal.lines()).contains(lines));
    }

    private static List<String> ran(ConfigurableApplicationContext context, String key) {
        return context.getBean(Journal.class).lines().stream()
                .filter(line -> line.startsWith("ship " + key + " "))
                .toList();
    }

    private static String[] ships(String key, int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> "ship " + key + " " + i + " attempt 1")
                .toArray(String[]::new);
    }

    @Test
    void aStartWithoutRightsNamesThem() throws SQLException {
        String user = UniqueNames.fresh("shop").replace('-', '_');
        execute("CREATE ROLE " + user + " LOGIN");
        execute("GRANT USAGE ON SCHEMA " + url.substring(url.indexOf("currentSchema=") + 14) + " TO " + user);

        assertThatThrownBy(() -> start("shop.database=" + url.replace("user=postgres", "user=" + user))
                        .close())
                .hasStackTraceContaining("its user lacks rights")
                .hasStackTraceContaining("INSERT on tandem_outbox (")
                .hasStackTraceContaining("UPDATE on tandem_outbox_bucket (");
    }

    @Test
    void tasksRunExactlyIfTheirTransactionCommitsAndInItsOrder() {
        try (ConfigurableApplicationContext context = start()) {
            // While a RabbitMQ ring is opened for the first time, tasks that arrive may be overtaken.
            await().atMost(PATIENCE)
                    .until(() -> context.getBean("tandemHealthIndicator", HealthIndicator.class)
                            .health()
                            .getStatus()
                            .equals(Status.UP));
            ShopTasks tasks = context.getBean(ShopTasks.class);
            TransactionTemplate transaction = transaction(context);
            List<TaskRef<Receipt>> refs = new ArrayList<>();
            transaction.executeWithoutResult(status -> {
                refs.add(tasks.ship("a", new Ship("never", -1)));
                assertThatThrownBy(() -> refs.get(0).await(PATIENCE))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("commit first");
                status.setRollbackOnly();
            });
            for (int commit = 0; commit < 10; commit++) {
                int number = commit;
                transaction.executeWithoutResult(status -> {
                    refs.add(tasks.ship("a", new Ship("o", 2 * number)));
                    tasks.ship("b", new Ship("o", number));
                    refs.add(tasks.ship("a", new Ship("o", 2 * number + 1)));
                    tasks.bill(new Ship("bill-" + number, 1));
                });
            }
            assertThat(refs.get(0).accepted()).isCompletedExceptionally();
            assertThat(refs.subList(1, refs.size()))
                    .allMatch(each -> each.accepted().isDone());
            awaitRan(context, ships("a", 0, 20));
            awaitRan(context, ships("b", 0, 10));
            awaitRan(context, "bill bill-9 in transaction true");

            assertThat(ran(context, "a")).containsExactly(ships("a", 0, 20));
            assertThat(ran(context, "b")).containsExactly(ships("b", 0, 10));
            await().atMost(PATIENCE).until(() -> waiting() == 0);
        }
    }

    @Test
    void theOutboxIsWrittenWithAndWithoutATransactionThatCanWrite() {
        try (ConfigurableApplicationContext context = start("tandem.outbox.relay=false")) {
            ShopTasks tasks = context.getBean(ShopTasks.class);
            TaskRef<Receipt> alone = tasks.ship("a", new Ship("alone", 1));
            assertThat(alone.accepted()).isCompleted();
            assertThat(waiting()).isEqualTo(1);

            TransactionTemplate readOnly = transaction(context);
            readOnly.setReadOnly(true);
            TaskRef<Receipt> afterRead =
                    Objects.requireNonNull(readOnly.execute(status -> tasks.ship("a", new Ship("read", 2))));
            assertThat(afterRead.accepted()).isCompleted();
            assertThat(waiting()).isEqualTo(2);

            transaction(context)
                    .executeWithoutResult(status -> afterCommit(() -> tasks.ship("a", new Ship("late", 3))));
            assertThat(waiting())
                    .as("the first task of a transaction comes after its commit")
                    .isEqualTo(3);
            transaction(context).executeWithoutResult(status -> {
                tasks.ship("a", new Ship("early", 4));
                afterCommit(() -> tasks.ship("a", new Ship("late", 5)));
            });
            assertThat(waiting()).isEqualTo(5);

            TransactionTemplate nested = transaction(context);
            nested.setPropagationBehavior(TransactionTemplate.PROPAGATION_NESTED);
            transaction(context).executeWithoutResult(outer -> {
                tasks.ship("a", new Ship("kept", 6));
                nested.executeWithoutResult(inner -> {
                    TaskRef<Receipt> undone = tasks.ship("a", new Ship("undone", 7));
                    inner.setRollbackOnly();
                    assertThat(undone.accepted()).isNotDone();
                });
            });
            assertThat(waiting()).isEqualTo(6);
        }
    }

    private static void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    @Test
    void whatCannotGoThroughTheOutboxIsRefusedAtOnce() {
        try (ConfigurableApplicationContext context = start("tandem.outbox.relay=false")) {
            TaskClient client = context.getBean(TaskClient.class);
            assertThatThrownBy(() -> client.submit(TaskRequest.of("unknown", "ship", "x")))
                    .isInstanceOf(InvalidTaskException.class)
                    .hasMessageContaining("not among the queues");
            assertThatThrownBy(() -> client.submit(TaskRequest.of(queue, "ship", new byte[2 << 20])))
                    .isInstanceOf(InvalidTaskException.class)
                    .hasMessageContaining("tandem.max-payload");
            TransactionTemplate other = new TransactionTemplate(new OtherTransactions());
            assertThatThrownBy(() -> other.executeWithoutResult(
                            status -> context.getBean(ShopTasks.class).ship("a", new Ship("o", 1))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the open transaction does not use it");
            assertThat(waiting()).isZero();
        }
    }

    @Test
    void anotherInstancePublishesWhatADeadOneHadCommitted() {
        List<String> arguments = settings().stream().map(each -> "--" + each).toList();
        try (LocalProcess dying = LocalProcess.java(
                        "shop",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        DyingShop.class.getName(),
                        arguments)
                .disposable()
                .start()) {
            assertThat(dying.awaitExit(PATIENCE)).isTrue();
            assertThat(dying.exitStatus()).as("%s", dying.logTail()).isEqualTo(137);
        }
        try (ConfigurableApplicationContext context = start()) {
            awaitRan(context, ships("dead", 0, 10));
            assertThat(ran(context, "dead").stream().distinct()).containsExactly(ships("dead", 0, 10));
        }
    }

    @Test
    void healthAndMetricsSayWhatWaits() throws SQLException {
        try (ConfigurableApplicationContext context = start("tandem.outbox.relay=false")) {
            context.getBean(ShopTasks.class).ship("a", new Ship("o", 1));
            execute("UPDATE tandem_outbox SET written_at = now() - interval '1 hour'");
            Health health = context.getBean("tandemOutboxHealthIndicator", HealthIndicator.class)
                    .health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("waiting", 1L).containsKeys("oldest", "note");
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            System.gc(); // the meters must not depend on what nobody keeps
            assertThat(meters.get("tandem.outbox.waiting").gauge().value()).isEqualTo(1);
            assertThat(meters.get("tandem.outbox.oldest").gauge().value()).isGreaterThan(3_500);
        }
        try (ConfigurableApplicationContext context = start()) {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            await().atMost(PATIENCE)
                    .until(() -> meters.get("tandem.outbox.published")
                                    .functionCounter()
                                    .count()
                            == 1);
            Health health = context.getBean("tandemOutboxHealthIndicator", HealthIndicator.class)
                    .health();
            assertThat(health.getDetails()).containsKeys("buckets", "published");
        }
    }
}
