package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.task.Task;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class HeadersWithoutEffectTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(HeadersWithoutEffect.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final HeadersWithoutEffect headers = new HeadersWithoutEffect();

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void restore() {
        logger.detachAppender(logged);
    }

    private static Task task(String id, @Nullable String dedupKey) {
        return new Task(id, "orders", "pay", null, new byte[0], Map.of(), 0, 0, 0, 0, dedupKey);
    }

    @Test
    void theKeyThatTheOutboxAddsIsNoReasonToWarn() {
        headers.warn("orders", task("o-7", "o-7"));
        headers.warn("orders", task("o-8", null));

        assertThat(logged.list).isEmpty();
    }

    @Test
    void aKeyThatSomebodyHasSetIsSaidOnceForAllQueues() {
        headers.warn("orders", task("o-7", "payment-1"));
        headers.warn("mail", task("o-8", "payment-2"));

        assertThat(logged.list)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains("tandem-dedup-key");
    }
}
