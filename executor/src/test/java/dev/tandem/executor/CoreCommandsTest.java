package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.ordering.CoreEvent;
import dev.tandem.ordering.QueueCore;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Where the core's events are logged. {@link OwnershipLogTest} has their lines. */
class CoreCommandsTest {

    private static final Partition P3 = Partition.of("orders", 3);

    private final Logger logger = (Logger) LoggerFactory.getLogger(OwnershipLog.class);
    private final Logger buriedLogger = (Logger) LoggerFactory.getLogger(BuriedLog.class);
    private final Level levelBefore = logger.getLevel();
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final ManualClock clock = new ManualClock();
    private final CoreCommands commands = commands();

    private CoreCommands commands() {
        QueueSpec spec = RunnerFixture.queue().build();
        QueueCore core = new QueueCore(Source.Kind.LOG, spec.policy(), TestContexts.SETTINGS, "e1");
        LoopStatus status = new LoopStatus(spec.name(), clock, new OutcomeCounters());
        LoopInbox inbox = new LoopInbox(spec.source());
        LoopSource source = new LoopSource(spec.source());
        HeldPartitions partitions = new HeldPartitions(spec, core, inbox, status, clock);
        TimeoutWatchdog watchdog = new TimeoutWatchdog(clock, 1_000, attempt -> {});
        WorkerPool workers = new WorkerPool(1, HandlerThreads.platform("test-"), watchdog, (run, slot) -> {});
        RetainedPartitions retained =
                new RetainedPartitions(spec, TestContexts.of(clock, watchdog), source, core, partitions, inbox);
        Gates gates = Gates.of(spec, clock);
        return new CoreCommands(
                source,
                partitions,
                new RunStarter(spec, workers, gates, again -> {}, RunBatch::first),
                gates,
                retained,
                null,
                status,
                true,
                clock);
    }

    @BeforeEach
    void capture() {
        logged.start();
        logger.addAppender(logged);
        logger.setAdditive(false);
    }

    @AfterEach
    void restore() {
        logger.detachAppender(logged);
        logger.setAdditive(true);
        logger.setLevel(levelBefore);
        buriedLogger.detachAppender(logged);
    }

    private void reportAll() {
        commands.report(new CoreEvent.Acquired(P3, 7, 0, 1));
        commands.report(new CoreEvent.KeyBlocked(P3, "customer-{}", BlockReason.HEAD, Position.of(1, 42)));
        assertThat(logged.list).as("before the flush ends").isEmpty();
        commands.flushed(0, false);
    }

    @Test
    void ownershipIsLoggedAtInfoAndKeysAreNot() {
        logger.setLevel(Level.INFO);
        reportAll();

        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("orders/3: acquired, epoch 7, 1 key blocked, 0 claims of other executors");
    }

    @Test
    void keysAreLoggedAtDebug() {
        logger.setLevel(Level.DEBUG);
        reportAll();

        assertThat(logged.list)
                .filteredOn(event -> event.getLevel() == Level.DEBUG)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("orders/3: blocked key 'customer-{}' (HEAD), head 1:42");
    }

    @Test
    void nothingIsLoggedAboveInfo() {
        logger.setLevel(Level.WARN);
        reportAll();

        assertThat(logged.list).isEmpty();
    }

    @Test
    void floodOfUnreadableMessagesIsCountedWhenItEnds() {
        buriedLogger.addAppender(logged);
        reportUnreadable(15);
        commands.flushed(0, false);
        assertThat(logged.list).hasSize(10);
        clock.advance(10_000);
        commands.flushed(0, false);

        assertThat(logged.list).hasSize(11);
        assertThat(logged.list.get(10).getFormattedMessage()).contains("5 more tasks are dead");
    }

    @Test
    void floodOfUnreadableMessagesIsCountedWhenTheLoopEnds() {
        buriedLogger.addAppender(logged);
        reportUnreadable(15);
        commands.logRest();

        assertThat(logged.list.get(10).getFormattedMessage()).contains("5 more tasks are dead");
    }

    private void reportUnreadable(int count) {
        for (int offset = 0; offset < count; offset++) {
            commands.report(new CoreEvent.Buried(P3, Position.of(1, offset), null, "odd"));
        }
    }
}
