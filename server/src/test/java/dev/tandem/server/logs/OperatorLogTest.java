package dev.tandem.server.logs;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.server.logs.OperatorLog.Result;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OperatorLogTest {

    private static final Result DONE = new Result(true, "done", "");
    private static final Result REFUSED = new Result(false, "refused with status 404", "");

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
        log.acted("skip of a key of queue orders", "skip of key 'a' of queue orders, asked by 127.0.0.1", DONE);
        log.acted(
                "skip of a key of queue orders",
                "skip of key 'b' of queue orders",
                new Result(true, "done", "head @0/1:1"));

        assertThat(lines())
                .containsExactly(
                        "Operator: skip of key 'a' of queue orders, asked by 127.0.0.1: done",
                        "Operator: skip of key 'b' of queue orders: done (head @0/1:1)");
    }

    @Test
    void thousandsOfActsAreCountedAndHideNoOthers() {
        for (int i = 0; i < 5_000; i++) {
            log.acted("delete of a task of queue orders", "delete of task " + i + " of queue orders", DONE);
        }
        assertThat(lines()).hasSize(OperatorLog.MAX_LINES_OF_KIND);
        log.acted("pause of queue mail", "pause of queue mail", DONE);
        assertThat(lines()).last().isEqualTo("Operator: pause of queue mail: done");
        int before = lines().size();

        later.remove(0).run();

        assertThat(lines().subList(before, lines().size()))
                .containsExactly("Operator: 4950 more times: delete of a task of queue orders: done");
        log.acted("delete of a task of queue orders", "delete of task x of queue orders", DONE);
        assertThat(lines()).last().isEqualTo("Operator: delete of task x of queue orders: done");
    }

    @Test
    void refusedRequestsDoNotHideWhatWasDone() {
        for (int i = 0; i < 1_000; i++) {
            log.acted("pause of queue q" + i, "pause of queue q" + i, REFUSED);
        }
        assertThat(lines()).hasSize(OperatorLog.MAX_REFUSED_LINES);

        log.acted("pause of queue mail", "pause of queue mail", DONE);
        assertThat(lines()).last().isEqualTo("Operator: pause of queue mail: done");
        later.remove(0).run();

        assertThat(lines()).last().isEqualTo("Operator: 950 more times: other refused requests");
        assertThat(later).as("one end for each window").isEmpty();
    }

    @Test
    void actsAreBoundedWhateverTheyAre() {
        for (int i = 0; i < 5_000; i++) {
            log.acted("pause of queue q" + i, "pause of queue q" + i, DONE);
        }
        int before = lines().size();
        assertThat(before).isLessThanOrEqualTo(OperatorLog.MAX_LINES);

        later.remove(0).run();

        assertThat(lines().subList(before, lines().size()))
                .containsExactly("Operator: " + (5_000 - before) + " more times: other acts");
    }
}
