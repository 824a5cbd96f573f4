package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An executor that lacks handlers which another one has. */
class RefusedExecutorTest {

    private static final List<HandlerPeer> ANOTHER =
            List.of(new HandlerPeer("another", 1, true, new HandledTypes(Set.of("refund", "ship"), false)));

    private final ScriptedStore store = new ScriptedStore();
    private Executor executor = Executor.builder().build();

    private ScriptedSource start(Source.Kind kind, UnhandledPolicy rule) {
        ScriptedSource source = new ScriptedSource(kind);
        executor = Executor.builder()
                .settings(TestContexts.SETTINGS)
                .queue(QueueSpec.queue("mail")
                        .source(source)
                        .store(store)
                        .policy(QueuePolicy.unordered(4))
                        .unhandledPolicy(rule)
                        .defaultType("ship")
                        .action("ship", task -> {})
                        .build())
                .build();
        executor.start();
        return source;
    }

    @AfterEach
    void stop() {
        executor.stop();
    }

    private QueueStatus status() {
        return executor.status().get(0);
    }

    @Test
    void announcesTheTypesOfItsHandlers() {
        start(Source.Kind.QUEUE, UnhandledPolicy.DEFAULT);

        assertThat(Objects.requireNonNull(store.registrant).handled())
                .containsEntry("mail", new HandledTypes(Set.of("ship", HandledTypes.NO_TYPE), false));
    }

    @Test
    void givesUpItsLeasesUntilTheOtherHasLeft() {
        ScriptedSource source = start(Source.Kind.QUEUE, new UnhandledPolicy(Duration.ZERO, true));
        source.leasable =
                IntStream.range(0, 4).mapToObj(n -> Partition.of("mail", n)).toList();
        await().until(() -> status().partitions() == 4);

        store.peers = ANOTHER;

        await().until(() -> status().partitions() == 0);
        assertThat(status().sharing()).isFalse();
        assertThat(status().healthy()).isFalse();
        assertThat(status().problem()).contains("'refund'", "another", "unknown-type-grace", "handlers-mismatch");

        store.peers = List.of();

        await().until(() -> status().partitions() == 4);
        assertThat(status().healthy()).isTrue();
        assertThat(status().sharing()).isTrue();
    }

    @Test
    void leavesTheConsumerGroupUntilTheOtherHasLeft() {
        ScriptedSource source = start(Source.Kind.LOG, new UnhandledPolicy(Duration.ZERO, true));
        await().until(() -> source.calls.contains("rest false"));
        source.calls.clear();

        store.peers = ANOTHER;
        await().until(() -> source.calls.contains("rest true"));
        assertThat(source.calls).doesNotContain("rest false");

        store.peers = List.of();
        await().until(() -> source.calls.contains("rest false"));
    }

    @Test
    void duringTheGraceItOnlySaysWhatIsMissing() {
        start(Source.Kind.LOG, new UnhandledPolicy(Duration.ofMinutes(10), true));
        store.peers = ANOTHER;

        await().untilAsserted(() -> assertThat(status().waits()).contains("'refund'", "executor another has one"));
        assertThat(status().healthy()).isTrue();
        assertThat(status().sharing()).isTrue();
    }
}
