package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Partition;
import dev.tandem.testkit.Brokers;
import org.junit.jupiter.api.Test;

/** Wake-ups of a source whose loop waits for its broker. */
class KafkaWakeupIT {

    private static final long AN_HOUR = 3_600_000;

    @Test
    void aWakeUpEndsALongWaitAndNeverDisturbsACommit() {
        String topic = Brokers.kafka().topic("wake", 1);
        Topics.fill(Brokers.kafka().bootstrapServers(), topic, 1, 200);
        Engine engine = new Engine(KafkaSettings.of(Brokers.kafka().bootstrapServers(), topic));
        engine.maxMillis = AN_HOUR;
        Partition partition = Partition.of(topic, 0);
        engine.start();
        try (engine) {
            await().until(() -> engine.deliveredCount() == 200);
            for (int i = 1; i <= 200; i++) {
                int upTo = i;
                engine.call(() -> engine.source.commit(partition, upTo));
                // From another thread, at any moment of the commit.
                for (int n = 0; n < i % 7; n++) {
                    engine.source.wakeup();
                }
            }
            await().until(() -> engine.events("committed").stream().anyMatch(each -> each.number() == 200));
            assertThat(engine.events("commitFailed")).isEmpty();
            assertThat(engine.events("lost")).isEmpty();
        }
    }

    @Test
    void wakeUpsWhileAPartitionIsRevokedDoNotStopItsLastCommit() {
        String topic = Brokers.kafka().topic("wake-revoke", 2);
        Topics.fill(Brokers.kafka().bootstrapServers(), topic, 2, 10);
        Engine first = new Engine(KafkaSettings.of(Brokers.kafka().bootstrapServers(), topic));
        first.onRevoked = partition -> {
            first.source.commit(partition, 10);
            first.source.wakeup();
        };
        first.start();
        try (first) {
            await().until(() -> first.deliveredCount() == 20);
            Thread nuisance = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    first.source.wakeup();
                    Thread.onSpinWait();
                }
            });
            nuisance.start();
            try (Engine second = Engine.started(KafkaSettings.of(Brokers.kafka().bootstrapServers(), topic))) {
                await().until(() -> second.owned().size() == 1);
                Partition moved = second.owned().iterator().next();
                assertThat(second.events("assigned", moved).get(0).facts().committed())
                        .isEqualTo(10);
            } finally {
                nuisance.interrupt();
            }
        }
    }
}
