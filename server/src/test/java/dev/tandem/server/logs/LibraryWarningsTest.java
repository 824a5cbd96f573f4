package dev.tandem.server.logs;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LibraryWarningsTest {

    private final LoggerContext context = new LoggerContext();
    private final Logger network = context.getLogger("org.apache.kafka.clients.NetworkClient");
    private final ListAppender<ILoggingEvent> passed = new ListAppender<>();
    private final ListAppender<ILoggingEvent> sums = new ListAppender<>();
    private final Logger sumLogger = (Logger) LoggerFactory.getLogger(LibraryWarnings.class);
    private final List<Runnable> later = new ArrayList<>();
    private long now = Long.MAX_VALUE - 5; // the clock may wrap around

    @BeforeEach
    void install() {
        LibraryWarnings filter = new LibraryWarnings(() -> now, later::add);
        filter.start();
        context.addTurboFilter(filter);
        passed.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(passed);
        sums.start();
        sumLogger.addAppender(sums);
    }

    @AfterEach
    void restore() {
        sumLogger.detachAppender(sums);
    }

    private void floods(int times) {
        for (int i = 0; i < times; i++) {
            network.warn("[Consumer clientId=c-" + i + ", groupId=g] Connection to node -" + i + " could not be made");
            network.warn("[Consumer clientId=c-" + i + ", groupId=g] Bootstrap broker localhost:9092 disconnected");
        }
    }

    private List<String> sums() {
        return sums.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void aFloodIsOneLineOfEachKindAndOneThatCountsTheRest() {
        floods(100);
        assertThat(passed.list).hasSize(2);
        assertThat(later).hasSize(1);

        later.remove(0).run();

        assertThat(sums())
                .containsExactly(
                        "Kafka's client repeated 198 warnings within 60 s, the last one: [Consumer clientId=c-99,"
                                + " groupId=g] Bootstrap broker localhost:9092 disconnected");
    }

    @Test
    void theNextMinuteBeginsWithALineAgain() {
        floods(2);
        now += Duration.ofSeconds(LibraryWarnings.WINDOW_SECONDS).toNanos();
        floods(1);

        assertThat(passed.list).hasSize(4);
    }

    /** An expression that recurses for each piece of its input would overflow the stack. */
    @Test
    void aMessageMayBeOfAnyLength() {
        for (String piece : new String[] {"[a] ", "[", "1", "x"}) {
            String message = piece.repeat((1 << 20) / piece.length());
            network.warn(message);
            network.warn(message);
        }

        assertThat(passed.list)
                .as("one of each kind: brackets, an open one, digits, text")
                .hasSizeBetween(3, 4);
        later.remove(0).run();
        assertThat(sums())
                .singleElement()
                .satisfies(line -> assertThat(line.length()).isLessThan(500));
    }

    @Test
    void clientsAndKindsAreToldApart() {
        floods(1);
        context.getLogger("io.lettuce.core.protocol.ConnectionWatchdog").warn("Cannot reconnect");
        network.error("Uncaught error");

        assertThat(passed.list).hasSize(4);
    }

    @Test
    void linesOfOthersAndLowerLevelsAreNotTouched() {
        Logger own = context.getLogger("dev.tandem.kafka.KafkaSource");
        network.setLevel(Level.INFO);
        for (int i = 0; i < 3; i++) {
            own.warn("no broker can be reached");
            network.info("Node 1 disconnected");
        }

        assertThat(passed.list).hasSize(6);
        assertThat(later).isEmpty();
    }
}
