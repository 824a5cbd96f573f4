package dev.tandem.scheduler;

import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes to channels and calls their listeners at each message. Messages are only hints that save waiting. A new
 * subscription counts as a message, because one may have been missed before it. Thread-safe.
 */
final class WakeupSubscriber {

    private final Map<String, List<Runnable>> listeners = new ConcurrentHashMap<>();
    private volatile @Nullable StatefulRedisPubSubConnection<String, String> connection;

    /** Uses a new connection from now on. */
    void connected(StatefulRedisPubSubConnection<String, String> made) {
        made.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                wake(channel);
            }

            @Override
            public void subscribed(String channel, long count) {
                wake(channel);
            }
        });
        connection = made;
        if (!listeners.isEmpty()) {
            made.async().subscribe(listeners.keySet().toArray(String[]::new));
        }
    }

    void add(String channel, Runnable listener) {
        listeners.computeIfAbsent(channel, c -> new CopyOnWriteArrayList<>()).add(listener);
        StatefulRedisPubSubConnection<String, String> current = connection;
        if (current != null) {
            current.async().subscribe(channel);
        }
    }

    void remove(String channel, Runnable listener) {
        List<Runnable> left = listeners.computeIfPresent(channel, (c, list) -> {
            list.remove(listener);
            return list.isEmpty() ? null : list;
        });
        StatefulRedisPubSubConnection<String, String> current = connection;
        if (left == null && current != null) {
            current.async().unsubscribe(channel);
        }
    }

    /**
     * Checks that the connection still answers, which a mere subscriber would never notice. If it does not, closes it.
     *
     * @param lost called if the connection was closed
     */
    void check(long limitMillis, Runnable lost) {
        StatefulRedisPubSubConnection<String, String> current = connection;
        if (current == null) {
            return;
        }
        current.async()
                .ping()
                .toCompletableFuture()
                .orTimeout(limitMillis, TimeUnit.MILLISECONDS)
                .whenComplete((pong, failure) -> {
                    if (failure != null && connection == current) {
                        connection = null;
                        current.closeAsync();
                        lost.run();
                    }
                });
    }

    private void wake(String channel) {
        listeners.getOrDefault(channel, List.of()).forEach(Runnable::run);
    }
}
