package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Partition;
import dev.tandem.testkit.Brokers;
import org.junit.jupiter.api.Test;

/** Wake-ups of a source that waits for its broker. */
class KafkaWakeupIT {

    private static final long ONE_HOUR_MILLIS = 3_600_000;

    @Test
    void aWakeUpEndsALongWaitAndDoesNotDisturbACommit() {
        String topic = Brokers.kafka().topic("wake", 1);
        TestTopics.fill(Brokers.kafka().bootstrapServers(), topic, 1, 200);
        KafkaSourceDriver driver =
                new KafkaSourceDriver(KafkaSettings.of(Brokers.kafka().bootstrapServers(), topic));
        driver.maxMillis = ONE_HOUR_MILLIS;
        Partition partition = Partition.of(topic, 0);
        driver.start();
        try (driver) {
            await().until(() -> driver.deliveredCount() == 200);
            for (int i = 1; i <= 200; i++) {
                int upTo = i;
                driver.call(() -> driver.source.commit(partition, upTo));
                // From another thread, at any time during the commit.
                for (int n = 0; n < i % 7; n++) {
                    driver.source.wakeup();
                }
            }
            await().until(() -> driver.events("committed").stream().anyMatch(each -> each.number() == 200));
            assertThat(driver.events("commitFailed")).isEmpty();
            assertThat(driver.events("lost")).isEmpty();
        }
    }

    @Test
    void wakeUpsDuringARevocationDoNotStopTheLastCommit() {
        String topic = Brokers.kafka().topic("wake-revoke", 2);
        TestTopics.fill(Brokers.kafka().bootstrapServers(), topic, 2, 10);
        KafkaSourceDriver first =
                new KafkaSourceDriver(KafkaSettings.of(Brokers.kafka().bootstrapServers(), topic));
        first.onRevoked = partition -> {
            first.source.commit(partition, 10);
            first.source.wakeup();
        };
        first.start();
        try (first) {
            await().until(() -> first.deliveredCount() == 20);
            Thread waker = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    first.source.wakeup();
                    Thread.onSpinWait();
                }
            });
            waker.start();
            try (KafkaSourceDriver second =
                    KafkaSourceDriver.started(KafkaSettings.of(Brokers.kafka().bootstrapServers(), topic))) {
                await().until(() -> second.owned().size() == 1);
                Partition moved = second.owned().iterator().next();
                assertThat(second.events("assigned", moved).get(0).facts().committed())
                        .isEqualTo(10);
            } finally {
                waker.interrupt();
            }
        }
    }
}
