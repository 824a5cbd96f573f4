package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Delivery;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unacked messages take no more memory than the process may use for them, whatever the prefetch. */
class RabbitMemoryIT extends SourceFixture {

    private static final int MESSAGES = 120;
    private static final long BYTES = 1_000_000;
    private static final String LARGE = "x".repeat(50_000);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void largeMessagesStayWithinTheMemoryAndInOrder(boolean ordered) throws Exception {
        if (ordered) {
            settings = settings.orderedByHeader();
        }
        MemoryBudget memory = MemoryBudget.ofBytes(BYTES);
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings, memory).openAll()) {
            Partition partition = driver.partition(0);
            driver.roundTrip(partition);
            publishLarge();
            List<String> seen = new ArrayList<>();
            driver.until("all messages", () -> {
                assertThat(memory.used()).isLessThanOrEqualTo(BYTES);
                if (!driver.lost.isEmpty()) {
                    driver.lost.clear();
                    driver.source.open(partition);
                }
                List<Delivery> batch = List.copyOf(driver.of(partition));
                batch.forEach(delivery -> seen.add(number(delivery)));
                driver.source.ack(
                        partition, batch.stream().map(Delivery::sequence).toList());
                driver.delivered.clear();
                return seen.size() >= MESSAGES;
            });
            assertThat(seen).containsExactlyElementsOf(numbers(0, MESSAGES));
        }
        assertThat(memory.used()).isZero();
    }

    private void publishLarge() throws Exception {
        for (int i = 0; i < MESSAGES; i++) {
            publish(settings.routingKey(), null, i + " " + LARGE);
        }
        channel.waitForConfirmsOrDie(60_000);
    }

    private static String number(Delivery delivery) {
        String body = RabbitSourceDriver.body(delivery);
        return body.substring(0, body.indexOf(' '));
    }
}
