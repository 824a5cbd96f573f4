package dev.tandem.server.api;

import dev.tandem.server.inspect.KeyedRequests;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keeps requests with keys of their callers in memory, for as long as it is not told to forget them. */
final class InMemoryKeyedRequests implements KeyedRequests {

    /** The answers by caller and key; blank while a request is under way. */
    final Map<String, String> entries = new ConcurrentHashMap<>();

    volatile @Nullable RuntimeException failure;
    volatile @Nullable State full;

    void reset() {
        entries.clear();
        failure = null;
        full = null;
    }

    @Override
    public Run run(String caller, String key) {
        String id = caller + "/" + key;
        return new Run() {
            @Override
            public CompletableFuture<Begin> begin() {
                RuntimeException broken = failure;
                if (broken != null) {
                    return CompletableFuture.failedFuture(broken);
                }
                State refused = full;
                if (refused != null) {
                    return CompletableFuture.completedFuture(new Begin(refused, null));
                }
                String known = entries.putIfAbsent(id, "");
                State state = known == null ? State.BEGUN : known.isEmpty() ? State.UNDER_WAY : State.DONE;
                return CompletableFuture.completedFuture(new Begin(state, state == State.DONE ? known : null));
            }

            @Override
            public CompletableFuture<Boolean> renew() {
                return CompletableFuture.completedFuture(true);
            }

            @Override
            public CompletableFuture<Boolean> finish(String answer) {
                return CompletableFuture.completedFuture(entries.replace(id, answer) != null);
            }

            @Override
            public CompletableFuture<Boolean> forget() {
                return CompletableFuture.completedFuture(entries.remove(id) != null);
            }
        };
    }
}
