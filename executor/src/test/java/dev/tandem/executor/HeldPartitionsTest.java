package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.ordering.QueueCore;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests of the log lines for a store that goes away and comes back. */
class HeldPartitionsTest {

    private static final List<Partition> ALL =
            IntStream.range(0, 8).mapToObj(each -> Partition.of("orders", each)).toList();

    private final Logger logger = (Logger) LoggerFactory.getLogger(HeldPartitions.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final ScriptedStore store = new ScriptedStore();
    private LoopInbox inbox;
    private HeldPartitions partitions;

    @BeforeEach
    void hold() {
        ExecutorClock clock = new ManualClock();
        QueueSpec spec = RunnerFixture.queue().store(store).build();
        QueueCore core = new QueueCore(Source.Kind.LOG, spec.policy(), TestContexts.SETTINGS, "e1");
        inbox = new LoopInbox(spec.source());
        LoopStatus status = new LoopStatus(spec.name(), clock, new OutcomeCounters());
        partitions = new HeldPartitions(spec, core, inbox, status, clock);
        ALL.forEach(each -> partitions.hold(each, new Source.Facts(1, "topic", 0, 0)));
        inbox.runEvents(1_000);
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void restore() {
        logger.detachAppender(logged);
        logger.setLevel(null);
    }

    private void restartStore() {
        ALL.forEach(each -> store.listeners.get(each).down("Connection closed"));
        inbox.runEvents(1_000);
        ALL.forEach(each -> store.listeners.get(each).up());
        inbox.runEvents(1_000);
    }

    private List<String> lines(Level level) {
        return logged.list.stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void aRestartOfTheStoreIsOneWarning() {
        restartStore();

        assertThat(lines(Level.WARN)).hasSize(1);
        assertThat(lines(Level.INFO)).containsExactly("Queue orders: connected to the store of all 8 partitions");
    }

    @Test
    void linksThatAreKeptWithoutPartitionsAreOneWarningToo() {
        partitions.keepLinks(true);
        ALL.forEach(partitions::left);

        restartStore();
        restartStore();

        assertThat(lines(Level.WARN))
                .containsExactly(
                        "Queue orders: cannot reach the store of orders/0, and perhaps of other partitions: Connection"
                                + " closed",
                        "Queue orders: cannot reach the store of orders/0, and perhaps of other partitions: Connection"
                                + " closed");
        assertThat(lines(Level.INFO))
                .containsExactly(
                        "Queue orders: connected to the store again", "Queue orders: connected to the store again");
    }
}
