package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.UniqueNames;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The registry of executors. */
class PresenceIT extends OperatorTestBase {

    @Test
    void listsExecutorsUntilTheyLeave() {
        String id = UniqueNames.fresh("executor");
        get(store.presence().beat(new Presence.Executor(id, "host", 5, 0, Map.of(queue, 3)), false));
        Presence.Executor seen = get(store.presence().executors()).stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
        assertThat(seen.running()).containsEntry(queue, 3);
        assertThat(seen.lastSeen()).isPositive();
        get(store.presence().leave(id));
        assertThat(get(store.presence().executors()))
                .noneMatch(each -> each.id().equals(id));
    }

    @Test
    void watchersAreCalledWhenExecutorsComeAndLeaveButNotAtHeartbeats() throws Exception {
        Presence presence = store.presence();
        Presence.Executor executor = new Presence.Executor(UniqueNames.fresh("executor"), "host", 5, 0, Map.of());
        AtomicInteger calls = new AtomicInteger();
        try (AutoCloseable watch = presence.watch(calls::incrementAndGet)) {
            await("subscribed").untilAsserted(() -> assertThat(calls).hasPositiveValue());
            int before = calls.get();
            get(presence.beat(executor, false));
            get(presence.beat(executor, false));
            await("the call when it came").untilAsserted(() -> assertThat(calls).hasValue(before + 1));
            get(presence.leave(executor.id()));
            await("the call when it left").untilAsserted(() -> assertThat(calls).hasValue(before + 2));
        }
    }
}
