package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.TaskRequest;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A relay whose client answers late or throws, on a real database. */
@Execution(ExecutionMode.CONCURRENT)
class RelayClientIT extends OutboxFixture {

    private void write(String key, String... payloads) throws SQLException {
        try (Connection connection = database.open()) {
            for (String payload : payloads) {
                outbox.write(
                        connection, TaskRequest.of("orders", "ship", payload).withKey(key));
            }
            connection.commit();
        }
    }

    /** A promoted replica, a restore and a truncated table give an id a second time. */
    @Test
    void aLateAcknowledgementDoesNotDeleteAnotherRowWithTheSameId() throws SQLException {
        CompletableFuture<Void> late = new CompletableFuture<>();
        CompletableFuture<Void> soon = new CompletableFuture<>();
        FakeClient client = new FakeClient(text -> text.equals("lost") ? late : soon);
        OutboxRelay relay = relay(client, SETTINGS);
        write("a", "lost");
        soon().until(() -> client.submitted.contains("lost"));
        database.execute(
                databaseKind() == TestDatabase.Kind.POSTGRES
                        ? "TRUNCATE tandem_outbox RESTART IDENTITY"
                        : "TRUNCATE tandem_outbox");
        write("b", "committed");
        assertThat(database.number("SELECT id FROM tandem_outbox")).isEqualTo(1);
        late.complete(null);
        soon().until(() -> relay.status().published() == 1);
        assertThat(database.text("SELECT task_key FROM tandem_outbox")).isEqualTo("b");
        soon().until(() -> client.submitted.contains("committed"));
        soon.complete(null);
        soon().until(() -> database.waiting() == 0);
    }

    @Test
    void anErrorOfTheClientIsAFailureOfItsRow() throws SQLException {
        AtomicLong calls = new AtomicLong();
        FakeClient client = new FakeClient(text -> {
            if (text.equals("always") || text.equals("once") && calls.incrementAndGet() == 1) {
                throw new NoClassDefFoundError("com/github/luben/zstd/Zstd");
            }
            return FakeClient.acknowledged();
        });
        write("c", "fine");
        write("a", "always", "behind it");
        write("b", "once");
        OutboxRelay relay = relay(client, SETTINGS);
        soon().until(() -> database.waiting() == 2);
        assertThat(client.submitted).contains("once", "fine").doesNotContain("behind it");
        assertThat(database.text("SELECT error FROM tandem_outbox WHERE failures > 0"))
                .contains("NoClassDefFoundError");
        assertThat(relay.status().failures()).isGreaterThanOrEqualTo(2);
        assertThat(relay.status().buckets()).isEqualTo(64);
    }

    @Test
    void anErrorOfTheDatabaseDriverIsTriedAgain() throws SQLException {
        AtomicLong calls = new AtomicLong();
        DataSource source = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (Thread.currentThread().getName().equals("tandem-outbox-relay")
                            && calls.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("Metaspace");
                    }
                    return method.invoke(database.source(), arguments);
                });
        FakeClient client = new FakeClient(text -> FakeClient.acknowledged());
        write("a", "1");
        OutboxRelay relay = OutboxRelay.start(source, client, SETTINGS);
        open.add(relay);
        soon().until(() -> database.waiting() == 0);
        soon().until(() -> relay.status().problem() == null);
        assertThat(calls).hasValue(2);
    }

    @Test
    void aRelayThatHasEndedSaysSo() throws SQLException {
        AtomicBoolean broken = new AtomicBoolean();
        RelayClock clock = new RelayClock(System::nanoTime, () -> {
            if (broken.get()) {
                throw new OutOfMemoryError("Java heap space");
            }
            return Instant.EPOCH;
        });
        OutboxRelay relay = OutboxRelay.start(
                database.source(), new FakeClient(text -> FakeClient.acknowledged()), SETTINGS, clock);
        open.add(relay);
        soon().until(() -> relay.status().buckets() == 64);
        broken.set(true);
        soon().until(() -> relay.status().problem() != null);
        assertThat(relay.status().problem()).contains("The relay has ended", "Java heap space");
        assertThat(relay.status().buckets()).isZero();
    }

    @Test
    void aRelayWhoseMachineWasPausedReadsBeforeItPublishes() throws SQLException {
        AtomicLong wall = new AtomicLong(1_000_000);
        CompletableFuture<Void> first = new CompletableFuture<>();
        FakeClient client = new FakeClient(text -> text.equals("1") ? first : FakeClient.acknowledged());
        write("a", "1", "2");
        // Only the clock on the wall shows the pause; a monotonic one stands still meanwhile.
        OutboxRelay relay = OutboxRelay.start(
                database.source(),
                client,
                SETTINGS.withLease(Duration.ofSeconds(60)),
                new RelayClock(System::nanoTime, () -> Instant.ofEpochMilli(wall.get())));
        open.add(relay);
        soon().until(() -> client.submitted.contains("1"));
        // Another relay publishes all of it.
        database.execute("DELETE FROM tandem_outbox");
        wall.addAndGet(120_000);
        write("b", "3");
        first.complete(null);
        soon().until(() -> client.submitted.contains("3"));
        assertThat(List.copyOf(client.submitted)).containsExactly("1", "3");
    }
}
