package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskClient;
import dev.tandem.client.TandemClient;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.local.LocalBroker;
import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalProcess;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedKafka;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The outbox while relays, brokers and its database are killed, frozen and away. The tests mostly wait for leases, for
 * processes that start and for brokers that come back, so they run beside one another.
 */
@Execution(ExecutionMode.CONCURRENT)
class OutboxFaultIT extends OutboxFixture {

    @ParameterizedTest
    @EnumSource
    void nothingIsLostOrOutOfOrderWhenARelayIsKilled(TestBroker.Kind kind) throws Exception {
        broker(kind);
        LocalProcess first = relayProcess();
        CompletableFuture<Void> writing = writeAsync(10, 400);
        soon().until(() -> broker.arrived().size() > 500);
        first.kill();
        relayProcess();
        writing.join();
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 400);
    }

    @ParameterizedTest
    @EnumSource
    void aFrozenRelayThatWakesUpPublishesNothingButOldCopies(TestBroker.Kind kind) throws Exception {
        broker(kind);
        LocalProcess frozen = relayProcess();
        CompletableFuture<Void> writing = writeAsync(10, 400);
        soon().until(() -> broker.arrived().size() > 500);
        frozen.suspend();
        relay();
        writing.join();
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 400);
        int beforeItWoke = broker.arrived().size();
        frozen.resume();
        // Work that both relays do shows that the frozen one is back.
        soon().until(() -> database.number(
                        "SELECT count(DISTINCT owner) FROM tandem_outbox_bucket WHERE lease_until > " + database.now())
                == 2);
        write(10, 400, 420);
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 420);
        assertThat(broker.arrived().size() - beforeItWoke - 200)
                .as("late copies, one of each key at most")
                .isLessThanOrEqualTo(10);
    }

    @Test
    void rowsWaitWhileTheBrokerIsAway() throws Exception {
        LocalKafka kafka = ownKafka();
        OutboxRelay relay = relay();
        write(10, 0, 20);
        soon().until(() -> database.waiting() == 0);
        kafka.kill();
        write(10, 20, 40);
        await().atMost(Duration.ofSeconds(90)).until(() -> relay.status().failures() > 0);
        assertThat(relay.status().problem()).contains("orders");
        assertThat(database.waiting()).isEqualTo(200);
        assertThat(database.text("SELECT error FROM tandem_outbox WHERE failures > 0 LIMIT 1"))
                .isNotEqualTo("null");
        kafka.start();
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 40);
        soon().until(() -> relay.status().problem() == null);
    }

    @Test
    void nothingIsLostOrOutOfOrderWhenRelaysAndTheBrokerAreKilledAgainAndAgain() throws Exception {
        LocalKafka kafka = ownKafka();
        CompletableFuture<Void> writing = writeAsync(10, 400);
        for (int round = 1; round <= 2; round++) {
            LocalProcess relay = relayProcess();
            int enough = round * 900;
            soon().until(() -> broker.arrived().size() > enough);
            if (round == 2) {
                kafka.kill();
                relay.kill();
            } else {
                relay.kill();
                kafka.kill();
            }
            kafka.start();
        }
        relayProcess();
        writing.join();
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 400);
    }

    private LocalKafka ownKafka() {
        LocalKafka kafka = Brokers.ownKafka();
        open.add(kafka);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.address()))) {
            SharedKafka.createTopic(admin, "orders", 4);
        }
        broker = new TestBroker.KafkaBroker(kafka.address(), "orders") {
            /** By default a task that nobody acknowledges fails after 30 s. */
            @Override
            TaskClient client() {
                return TandemClient.builder()
                        .queue(KafkaSettings.of(address, queue)
                                .withProperties(Map.of("delivery.timeout.ms", "3000", "request.timeout.ms", "2000")))
                        .build();
            }
        };
        open.add(broker);
        return kafka;
    }

    @Test
    void rowsWaitWhileTheDatabaseIsAway() throws Exception {
        LocalBroker server = databaseKind().own();
        open.add(server);
        database = TestDatabase.in(server);
        broker(TestBroker.Kind.KAFKA);
        OutboxRelay relay = relay();
        write(10, 0, 20);
        soon().until(() -> database.waiting() == 0);
        server.kill();
        soon().until(() -> relay.status().problem() != null);
        server.start();
        write(10, 20, 40);
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 40);
        soon().until(() -> relay.status().problem() == null);
    }
}
