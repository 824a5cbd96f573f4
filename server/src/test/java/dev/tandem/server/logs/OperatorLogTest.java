package dev.tandem.server.logs;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OperatorLogTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(OperatorLog.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final List<Runnable> later = new ArrayList<>();
    private final OperatorLog log = new OperatorLog(later::add);

    @BeforeEach
    void capture() {
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void restore() {
        logger.detachAppender(logged);
        logger.setLevel(null);
    }

    private List<String> lines() {
        return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void anActHasALine() {
        log.acted("skip of a key of queue orders", "skip of key 'a' of queue orders, asked by 127.0.0.1", "done");

        assertThat(lines()).containsExactly("Operator: skip of key 'a' of queue orders, asked by 127.0.0.1: done");
    }

    @Test
    void thousandsOfActsAreCounted() {
        for (int i = 0; i < 5_000; i++) {
            log.acted("delete of a task of queue orders", "delete of task " + i + " of queue orders", "done");
        }
        log.acted("pause of queue mail", "pause of queue mail", "refused with status 503");
        assertThat(lines()).hasSize(OperatorLog.MAX_LINES);

        later.remove(0).run();

        assertThat(lines().subList(OperatorLog.MAX_LINES, lines().size()))
                .containsExactly(
                        "Operator: 4950 more times: delete of a task of queue orders: done",
                        "Operator: once more: pause of queue mail: refused with status 503");
        log.acted("pause of queue mail", "pause of queue mail", "done");
        assertThat(lines()).last().isEqualTo("Operator: pause of queue mail: done");
    }

    @Test
    void kindsAreBounded() {
        for (int i = 0; i < 1_000; i++) {
            log.acted("pause of queue q" + i, "pause of queue q" + i, "refused with status 404");
        }

        later.remove(0).run();

        assertThat(lines()).hasSize(OperatorLog.MAX_LINES + OperatorLog.MAX_KINDS + 1);
        assertThat(lines()).last().isEqualTo("Operator: 930 more times: other acts");
    }
}
