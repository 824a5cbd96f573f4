package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreRequest;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A queue that has fewer partitions than before, so that the store holds tasks of partitions without a source. */
class RetainedPartitionsTest {

    private static final List<Partition> OF_BROKER = List.of(Partition.of("mail", 0), Partition.of("mail", 1));
    private static final Partition RETAINED = Partition.of("mail", 7);

    private final ScriptedStore store = new ScriptedStore();
    private final AtomicInteger ran = new AtomicInteger();
    private ScriptedSource source = new ScriptedSource();
    private Executor executor = Executor.builder().build();

    private void start(Source.Kind kind) {
        source = new ScriptedSource(kind);
        source.leasable = kind == Source.Kind.QUEUE ? OF_BROKER : List.of();
        source.partitions = OF_BROKER;
        executor = Executor.builder()
                .settings(TestContexts.SETTINGS)
                .queue(QueueSpec.queue("mail")
                        .source(source)
                        .store(store)
                        .policy(QueuePolicy.unordered(4))
                        .defaultType("any")
                        .action("any", task -> ran.incrementAndGet())
                        .build())
                .build();
        executor.start();
    }

    @AfterEach
    void stop() {
        executor.stop();
    }

    private int partitions() {
        return executor.status().get(0).partitions();
    }

    @Test
    void isWorkedOffAndGivenUpWhereTheBrokerAssignsNoPartitions() {
        store.due.put(RETAINED, Task.of("mail", null, new byte[0]));
        start(Source.Kind.QUEUE);
        await().until(() -> ran.get() == 1);
        await().until(() -> partitions() == 2);
        assertThat(store.requests)
                .anyMatch(request -> request instanceof StoreRequest.Release
                        && request.partition().equals(RETAINED));
        assertThat(source.calls).noneMatch(call -> call.contains(RETAINED.toString()));
    }

    @Test
    void isWorkedOffAndGivenUpWhereTheBrokerAssignsPartitions() {
        store.due.put(RETAINED, Task.of("mail", null, new byte[0]));
        start(Source.Kind.LOG);
        await().until(() -> ran.get() == 1);
        await().until(() -> partitions() == 0);
        assertThat(store.requests)
                .anyMatch(request -> request instanceof StoreRequest.Release
                        && request.partition().equals(RETAINED));
        assertThat(source.calls).noneMatch(call -> call.contains(RETAINED.toString()));
    }

    @Test
    void hasASourceAgainOnceItCanBeLeasedWithOne() {
        store.due.put(RETAINED, Task.of("mail", null, new byte[0]));
        store.silent = true;
        start(Source.Kind.QUEUE);
        await().until(() -> store.count(StoreRequest.Acquire.class) == 3);
        store.answerWithheld();
        source.leasable = List.of(OF_BROKER.get(0), OF_BROKER.get(1), RETAINED);
        await().until(() -> source.calls.contains("open " + RETAINED));
        assertThat(partitions()).isEqualTo(3);
    }

    @Test
    void hasASourceAgainOnceTheBrokerAssignsIt() {
        store.due.put(RETAINED, Task.of("mail", null, new byte[0]));
        store.silent = true;
        start(Source.Kind.LOG);
        await().until(() -> store.count(StoreRequest.Acquire.class) == 1);
        store.answerWithheld();
        source.then(events -> events.assigned(RETAINED, new Source.Facts(1, "topic", 0, 0)));
        await().until(() -> source.calls.contains("open " + RETAINED));
    }
}
