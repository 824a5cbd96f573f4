package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Partition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A prefetch that is lowered while a sub-queue holds more messages than that. */
class RabbitPrefetchIT extends SourceFixture {

    private static final int BEFORE = 200;
    private static final int LOWERED = 10;
    private static final int MESSAGES = 300;

    @BeforeEach
    void order() {
        settings = settings.orderedByHeader();
    }

    @Test
    void keepsTheOrderOfWhatEarlierOwnersLeft() throws Exception {
        try (RabbitSourceDriver former = new RabbitSourceDriver(settings.withPrefetch(BEFORE)).openAll()) {
            publish(former, MESSAGES);
            former.untilDelivered(BEFORE);
        }
        try (RabbitSourceDriver lowered = new RabbitSourceDriver(settings.withPrefetch(LOWERED)).openAll()) {
            lowered.untilDelivered(LOWERED);
        }
        try (RabbitSourceDriver next = new RabbitSourceDriver(settings).openAll()) {
            next.untilDelivered(MESSAGES);
            assertThat(next.bodies()).containsExactlyElementsOf(numbers(0, MESSAGES));
        }
    }

    @Test
    void appliesOnceWhatEarlierOwnersLeftIsAcked() throws Exception {
        try (RabbitSourceDriver former = new RabbitSourceDriver(settings.withPrefetch(BEFORE)).openAll()) {
            publish(former, BEFORE);
            former.untilDelivered(BEFORE);
        }
        try (RabbitSourceDriver lowered = new RabbitSourceDriver(settings.withPrefetch(LOWERED)).openAll()) {
            Partition partition = lowered.partition(0);
            lowered.untilDelivered(BEFORE);
            lowered.ackAll();
            lowered.manyTurns();
            publish(MESSAGES);
            lowered.untilDelivered(BEFORE + LOWERED);
            lowered.roundTrip(partition);
            assertThat(lowered.bodies()).hasSize(BEFORE + LOWERED);
        }
    }
}
