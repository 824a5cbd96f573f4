package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Delivery;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreRequest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Messages that are no tasks: what becomes of them and of their keys, and what is logged. */
class UnreadableMessageTest {

    private static final Partition P0 = Partition.of("orders", 0);

    private final ScriptedSource source = new ScriptedSource();
    private final ScriptedStore store = new ScriptedStore();
    private final TimeoutWatchdog watchdog = new TimeoutWatchdog(ExecutorClock.system(), 10_000, attempt -> {});
    private final List<Boolean> ran = new CopyOnWriteArrayList<>();
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final List<Logger> loggers = Stream.of(TaskRunner.class, BuriedLog.class)
            .map(each -> (Logger) LoggerFactory.getLogger(each))
            .toList();
    private QueueLoop loop;

    @BeforeEach
    void start() {
        logged.start();
        loggers.forEach(each -> each.addAppender(logged));
        QueueSpec spec = QueueSpec.queue("orders")
                .source(source)
                .store(store)
                .policy(QueuePolicy.ordered(4))
                .defaultType("any")
                .action("any", task -> ran.add(true))
                .build();
        ExecutorContext context =
                TestContexts.of(ExecutorClock.system(), watchdog, TestContexts.TIMINGS, ExecutorMetrics.NONE);
        loop = new QueueLoop(spec, context, HandlerThreads.platform("test-"));
        loop.start();
        source.then(events -> events.assigned(P0, new Source.Facts(1, "topic", 0, 0)));
        await().until(() -> source.calls.contains("open " + P0));
    }

    @AfterEach
    void stop() throws InterruptedException {
        loggers.forEach(each -> each.detachAppender(logged));
        loop.requestStop();
        assertThat(loop.awaitEnd(20_000)).isTrue();
    }

    @Test
    void messageDiesInItsPlaceIfItsKeyIsKnown() {
        Task task = Task.of("orders", "k", new byte[0]);
        source.then(events -> events.delivered(
                P0,
                List.of(
                        Delivery.of(0, task),
                        new Delivery(1, task, "the header is odd", null, false),
                        new Delivery(2, Task.of("orders", null, new byte[0]), "no key either", null, false)),
                3));

        await().until(() -> source.calls.contains("commit " + P0 + " 3"));
        assertThat(ran).as("tasks that a handler saw").hasSize(1);
        assertThat(settles())
                .filteredOn(settle -> settle.verdict() instanceof StoreRequest.Verdict.Dead)
                .singleElement()
                .satisfies(settle -> {
                    assertThat(settle.position()).isEqualTo(Position.of(1, 1));
                    assertThat(settle.key()).isEqualTo("k");
                    StoreRequest.Verdict.Dead dead = (StoreRequest.Verdict.Dead) settle.verdict();
                    assertThat(dead.deadHead()).isEqualTo(DeadHead.HALT);
                    assertThat(Envelope.decode("orders", dead.envelope()).error())
                            .isEqualTo("the header is odd");
                });
        assertThat(buried()).containsExactly(Position.of(1, 2));
        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .as("each death is logged once")
                .containsExactlyInAnyOrder(
                        "Queue orders: task orders:0:1 is dead (orders/0 1:1 attempt 1): the header is odd",
                        "Queue orders: task @0/1:2 is dead, since its message is unreadable: no key either. No other task"
                                + " waits for it");
    }

    private List<StoreRequest.Settle> settles() {
        return store.requests.stream()
                .filter(StoreRequest.SettleAndClaim.class::isInstance)
                .flatMap(request -> ((StoreRequest.SettleAndClaim) request).settles().stream())
                .toList();
    }

    private List<Position> buried() {
        return store.requests.stream()
                .filter(StoreRequest.TakeCustody.class::isInstance)
                .flatMap(request -> ((StoreRequest.TakeCustody) request).entries().stream())
                .filter(entry -> entry.move() instanceof StoreRequest.Move.Bury)
                .map(StoreRequest.HandOver::position)
                .toList();
    }
}
