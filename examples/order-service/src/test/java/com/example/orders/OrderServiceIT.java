package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.example.orders.Order.State;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalPostgres;
import dev.tandem.local.LocalProcess;
import dev.tandem.local.PortReservations;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/** The whole service with Kafka, RabbitMQ, Redis and PostgreSQL. */
class OrderServiceIT {

    private static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("it.patience", 120));
    private static final String NAMESPACE = UniqueNames.fresh("shop");

    private static LocalPostgres postgres;
    private static JdbcClient database;

    @TempDir
    private Path folder;

    private final int port = PortReservations.reserve();
    private final RestClient http = RestClient.create("http://127.0.0.1:" + port);

    private record Placed(String id) {}

    @BeforeAll
    static void startDatabase() {
        postgres = Brokers.ownPostgres();
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(postgres.address());
        database = JdbcClient.create(source);
    }

    @AfterAll
    static void stopDatabase() {
        if (postgres != null) {
            postgres.close();
        }
    }

    private List<String> arguments(String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=" + port,
                "--spring.datasource.url=" + postgres.address(),
                "--tandem.kafka.bootstrap-servers=" + Brokers.kafka().bootstrapServers(),
                "--tandem.rabbit.uri=" + Brokers.rabbit().uri(),
                "--tandem.redis.uri=" + Brokers.redis().uri(),
                "--tandem.redis.namespace=" + NAMESPACE));
        arguments.addAll(List.of(more));
        return arguments;
    }

    private static long number(String sql) {
        return database.sql(sql).query(Long.class).single();
    }

    private static long pieces(String article) {
        return number("SELECT pieces FROM stock WHERE article = '" + article + "'");
    }

    private static long shipped(String customer) {
        return number("SELECT count(*) FROM shop_order WHERE state = 'SHIPPED' AND customer = '" + customer + "'");
    }

    private String place(NewOrder order) {
        Placed placed = http.post().uri("/orders").body(order).retrieve().body(Placed.class);
        assertThat(placed).isNotNull();
        return placed.id();
    }

    private State state(String id) {
        Order order = http.get().uri("/orders/{id}", id).retrieve().body(Order.class);
        assertThat(order).isNotNull();
        return order.state();
    }

    @Test
    void ordersAreShippedCancelledOrSoldOutAndWhatIsRolledBackWasNeverSubmitted() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(OrderServiceApplication.class)
                .run(arguments("--shop.payment-takes=0s").toArray(String[]::new))) {
            long teapots = pieces("teapot");
            context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
                context.getBean(OrderService.class).place(new NewOrder("adam", "teapot", 500, "card"));
                status.setRollbackOnly();
            });
            String paid = place(new NewOrder("adam", "teapot", 2, "card"));
            String refused = place(new NewOrder("adam", "samovar", 3, "stolen"));
            String tooMany = place(new NewOrder("adam", "samovar", 4, "card"));

            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(state(paid)).isEqualTo(State.SHIPPED);
                assertThat(state(refused)).isEqualTo(State.CANCELLED);
                assertThat(state(tooMany)).isEqualTo(State.SOLD_OUT);
                // Every step and every mail went through the outbox.
                assertThat(number("SELECT count(*) FROM tandem_outbox")).isZero();
            });
            assertThat(pieces("teapot")).isEqualTo(teapots - 2);
            assertThat(pieces("samovar")).isEqualTo(3);
            assertThat(number("SELECT count(*) FROM shop_order WHERE customer = 'adam'"))
                    .isEqualTo(3);
        }
    }

    /** Each order takes two pieces exactly once, whatever ran again. */
    @Test
    void aKilledServiceGoesOnWhereItWas() {
        int orders = 12;
        long teapots;
        try (LocalProcess service = process("first")) {
            awaitAnswers(service);
            teapots = pieces("teapot");
            for (int i = 0; i < orders; i++) {
                place(new NewOrder("eve", "teapot", 2, "card"));
            }
            await().atMost(PATIENCE).until(() -> shipped("eve") >= 3);
            service.kill();
        }
        assertThat(shipped("eve")).isLessThan(orders);
        try (LocalProcess service = process("second")) {
            await().atMost(PATIENCE).until(() -> service.isRunning() && shipped("eve") == orders);
            assertThat(pieces("teapot")).isEqualTo(teapots - 2 * orders);
        }
    }

    private void awaitAnswers(LocalProcess service) {
        await().atMost(PATIENCE).until(() -> {
            try {
                return service.isRunning()
                        && http.get()
                                .uri("/actuator/health/liveness")
                                .retrieve()
                                .toBodilessEntity()
                                .getStatusCode()
                                .is2xxSuccessful();
            } catch (RestClientException e) {
                return false;
            }
        });
    }

    /** One task at a time, so that the kill comes in the middle of something. */
    private LocalProcess process(String name) {
        return LocalProcess.java(
                        "order-service",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("512m"),
                        OrderServiceApplication.class.getName(),
                        arguments("--shop.payment-takes=200ms", "--tandem.queues.shop-orders.concurrency=1"))
                .log(folder.resolve(name + ".log"))
                .disposable()
                .build()
                .start();
    }
}
