package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.task.Task;
import java.util.Map;
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

    private static Task task(Map<String, String> headers) {
        return new Task("o-7", "orders", "pay", null, new byte[0], headers, 0, 0, 0, 0, null);
    }

    @Test
    void aHeaderWithoutEffectIsSaidOnceForAllQueues() {
        headers.warn("orders", task(Map.of()));
        headers.warn("orders", task(Map.of("tandem-depends-on", "payment-1")));
        headers.warn("mail", task(Map.of("tandem-depends-on", "payment-2")));

        assertThat(logged.list)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains("orders", "tandem-depends-on");
    }
}
