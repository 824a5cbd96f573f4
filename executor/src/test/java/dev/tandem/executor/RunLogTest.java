package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static dev.tandem.executor.RunnerFixture.task;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.api.Result;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Task;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RunLogTest {

    @Test
    void errorsAreLoggedWithoutWhatTheyRepeatOfAPayload() {
        LogPolicy.ErrorMask mask =
                (payload, error) -> error.replace(new String(payload, StandardCharsets.UTF_8), "***");
        QueueSpec.Builder spec = queue().log(new LogPolicy(true, mask))
                .handler("dead", task -> Result.dead("no such card: 4111"))
                .handler("again", task -> Result.again(Duration.ZERO, "no answer for 4111"))
                .handler("error", task -> {
                    throw new AssertionError("the card 4111 is odd");
                });
        Logger logger = (Logger) LoggerFactory.getLogger(TaskRunner.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.INFO);
        RunnerFixture fixture = new RunnerFixture();
        try {
            for (String type : List.of("dead", "again", "error")) {
                Task card = task(type, "4111");
                fixture.run(spec, TestRuns.of(card, 1));
            }
        } finally {
            logger.detachAppender(logged);
            logger.setLevel(null);
        }

        assertThat(logged.list)
                .filteredOn(line -> line.getFormattedMessage().contains("orders"))
                .hasSizeGreaterThanOrEqualTo(4)
                .allSatisfy(line -> {
                    assertThat(line.getFormattedMessage()).doesNotContain("4111");
                    if (line.getThrowableProxy() != null) {
                        assertThat(line.getThrowableProxy().getMessage())
                                .isEqualTo("java.lang.AssertionError: the card *** is odd");
                        assertThat(line.getThrowableProxy().getStackTraceElementProxyArray())
                                .isNotEmpty();
                    }
                });
    }
}
