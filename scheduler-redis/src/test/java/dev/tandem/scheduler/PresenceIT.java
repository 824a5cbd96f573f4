package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import dev.tandem.testkit.UniqueNames;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    void whatAnExecutorHasHandlersForGoesWithIt() {
        String id = UniqueNames.fresh("executor");
        Presence presence = store.presence();
        Map<String, HandledTypes> handled = Map.of(queue, new HandledTypes(Set.of("ship"), false));
        Map<String, HandledTypes> unhandled = Map.of(queue, new HandledTypes(Set.of("refund"), false));
        get(presence.announceHandlers(id, handled));
        get(presence.announceUnhandled(id, unhandled));
        get(presence.beat(new Presence.Executor(id, "host", 5, 0, Map.of(queue, 3)), false));
        get(presence.removeSilent());

        assertThat(get(presence.liveIds())).contains(id);
        assertThat(get(presence.handlers(List.of(id, "nobody")))).isEqualTo(Map.of(id, handled));
        assertThat(get(presence.unhandled(List.of(id)))).isEqualTo(Map.of(id, unhandled));
        LiveExecutors live = new LiveExecutors();
        live.update(get(presence.executors()));
        assertThat(live.withUnknownHandlers()).contains(id);
        live.learn(get(presence.handlers(live.withUnknownHandlers())));
        assertThat(live.withUnknownHandlers()).doesNotContain(id);
        assertThat(live.announcing(queue)).containsExactly(new HandlerPeer(id, 5, false, handled.get(queue)));
        get(presence.announceWorking(id, Set.of(queue, "another")));
        live.working(get(presence.working(live.ids())));
        assertThat(live.announcing(queue)).containsExactly(new HandlerPeer(id, 5, true, handled.get(queue)));
        get(presence.announceWorking(id, Set.of()));
        assertThat(get(presence.working(List.of(id)))).isEmpty();
        get(presence.announceWorking(id, Set.of(queue)));

        get(presence.announceUnhandled(id, Map.of()));
        assertThat(get(presence.unhandled(List.of(id)))).isEmpty();
        get(presence.announceUnhandled(id, unhandled));
        get(presence.leave(id));
        assertThat(get(presence.working(List.of(id)))).isEmpty();
        assertThat(get(presence.handlers(List.of(id)))).isEmpty();
        assertThat(get(presence.unhandled(List.of(id)))).isEmpty();
    }

    @Test
    void whatAnUnknownExecutorAnnouncedIsRemoved() {
        String id = UniqueNames.fresh("executor");
        Presence presence = store.presence();
        Map<String, HandledTypes> handled = Map.of(queue, new HandledTypes(Set.of("ship"), false));
        get(presence.announceHandlers(id, handled));
        get(presence.announceUnhandled(id, handled));

        get(presence.removeSilent());

        assertThat(get(presence.handlers(List.of(id)))).isEmpty();
        assertThat(get(presence.unhandled(List.of(id)))).isEmpty();
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
