package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.ordering.CoreEvent;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The log of unreadable messages that halt no key. */
class BuriedLogTest {

    private static final Partition P3 = Partition.of("orders", 3);

    private final Logger logger = (Logger) LoggerFactory.getLogger(BuriedLog.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final ManualClock clock = new ManualClock();
    private final BuriedLog log = new BuriedLog(clock);

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
        logger.setAdditive(false);
    }

    @AfterEach
    void restore() {
        logger.detachAppender(logged);
        logger.setAdditive(true);
    }

    @Test
    void deathIsLoggedWithReferenceIdAndReason() {
        log.log(new CoreEvent.Buried(P3, Position.of(1, 42), "order-7", "header 'tandem-key' is\nodd"));
        log.log(new CoreEvent.Buried(P3, Position.of(1, 43), null, "the payload is too long"));

        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "Queue orders: task order-7 (@3/1:42) is dead, since its message is unreadable: header"
                                + " 'tandem-key' is?odd. No other task waits for it",
                        "Queue orders: task @3/1:43 is dead, since its message is unreadable: the payload is too long."
                                + " No other task waits for it");
    }

    @Test
    void floodIsCounted() {
        for (int offset = 0; offset < 100; offset++) {
            log.log(new CoreEvent.Buried(P3, Position.of(1, offset), null, "odd"));
        }
        assertThat(logged.list).hasSize(10);
        clock.advance(10_000);
        log.log(new CoreEvent.Buried(P3, Position.of(1, 100), null, "odd"));

        assertThat(logged.list.get(10).getFormattedMessage()).contains("(90 earlier ones were not logged)");
    }

    @Test
    void floodThatEndsIsCountedWithoutAnotherDeath() {
        for (int offset = 0; offset < 5_000; offset++) {
            log.log(new CoreEvent.Buried(P3, Position.of(1, offset), null, "odd"));
        }
        log.logLeftOut(false);
        assertThat(logged.list).as("the window has not ended").hasSize(10);
        clock.advance(10_000);
        log.logLeftOut(false);
        log.logLeftOut(false);

        assertThat(logged.list).hasSize(11);
        assertThat(logged.list.get(10).getFormattedMessage())
                .isEqualTo("Queue orders: 4990 more tasks are dead, since their messages are unreadable; they were not"
                        + " logged one by one");
    }
}
