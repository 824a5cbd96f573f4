package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.tandem.task.Partition;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRoom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log says while Redis is away from the start. */
class RedisAwayTest {

    /** Reserved, so nothing listens there. */
    private static final int NOBODYS_PORT = 1;

    private static final class Ignored implements Store.Listener {
        @Override
        public void answered(StoreRequest request, StoreAnswer answer) {}

        @Override
        public void down(String reason) {}

        @Override
        public void up() {}

        @Override
        public void woken() {}

        @Override
        public void room(StoreRoom room) {}
    }

    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            logged.add(event.getFormattedMessage());
        }
    };
    private final Logger logger = (Logger) LoggerFactory.getLogger(NodeConnections.class);

    @BeforeEach
    void listen() {
        appender.start();
        logger.addAppender(appender);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(appender);
    }

    @Test
    void theLogSaysOnceWhatFollows() {
        try (RedisStore store = RedisStore.open(RedisSettings.of("redis://127.0.0.1:" + NOBODYS_PORT))) {
            store.link(Partition.of("orders", 0), new Ignored());

            await().atMost(Duration.ofSeconds(40))
                    .until(() -> logged.stream()
                            .anyMatch(line -> line.startsWith("Cannot reach Redis at")
                                    && line.endsWith(
                                            ". No task starts until Redis answers. It is tried again and again")));
            assertThat(store.status().connected()).isFalse();
            assertThat(store.status().detail())
                    .startsWith("Cannot reach Redis at")
                    .doesNotContain("No task starts");
        }
    }
}
