package dev.tandem.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.api.TaskRequest;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.task.Publisher.PublishException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tasks that fail, and whose callers do not look at what became of them. */
class FailedSubmissionsTest {

    private final Logger logger = (Logger) org.slf4j.LoggerFactory.getLogger(FailedSubmissions.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void readTheLog() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void leaveTheLog() {
        logger.detachAppender(logged);
    }

    private List<String> warnings() {
        return logged.list.stream()
                .filter(each -> each.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void aTaskForABrokerThatIsNotThereIsLogged() {
        KafkaSettings nowhere =
                KafkaSettings.of("127.0.0.1:1", "nowhere").withProperties(Map.of("max.block.ms", "300"));
        try (TandemClient client = TandemClient.builder().queue(nowhere).build()) {
            client.submit(TaskRequest.of("nowhere", "ship", null));
        }
        assertThat(warnings()).singleElement().asString().contains("queue 'nowhere' was not accepted", "127.0.0.1:1");
    }

    @Test
    void eachQueueHasALineInTenSeconds() {
        AtomicLong now = new AtomicLong();
        FailedSubmissions failures = new FailedSubmissions(now::get);
        failures.add("orders", "1", "why");
        failures.add("mail", "2", "why");
        failures.add("orders", "3", "why");
        failures.add("orders", "4", "why");
        now.set(FailedSubmissions.WINDOW_NANOS);
        failures.add("orders", "5", "why");

        assertThat(warnings()).hasSize(3);
        assertThat(warnings().get(2)).contains("Task 5", "2 more failed since");
    }

    @Test
    void whoeverWaitsNeedsNoLine() {
        Submission<?> awaited = new Submission<>("1", "awaited");
        var unused = awaited.accepted().exceptionally(failure -> null);
        awaited.accept(new PublishException("why"));

        assertThat(warnings()).isEmpty();
    }
}
