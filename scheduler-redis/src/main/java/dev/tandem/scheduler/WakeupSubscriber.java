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

    /** Hears what a message says; null if one may have been missed. */
    @FunctionalInterface
    interface MessageListener {
        void heard(@Nullable String message);
    }

    /** A listener that only wants to know that there was a message. Equal to others of the same action. */
    private record Woken(Runnable action) implements MessageListener {
        @Override
        public void heard(@Nullable String message) {
            action.run();
        }
    }

    private final Map<String, List<MessageListener>> listeners = new ConcurrentHashMap<>();
    private volatile @Nullable StatefulRedisPubSubConnection<String, String> connection;

    /** Uses a new connection from now on. */
    void connected(StatefulRedisPubSubConnection<String, String> made) {
        made.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                wake(channel, message);
            }

            @Override
            public void subscribed(String channel, long count) {
                wake(channel, null);
            }
        });
        connection = made;
        if (!listeners.isEmpty()) {
            made.async().subscribe(listeners.keySet().toArray(String[]::new));
        }
    }

    void add(String channel, Runnable listener) {
        add(channel, new Woken(listener));
    }

    void add(String channel, MessageListener listener) {
        listeners.computeIfAbsent(channel, c -> new CopyOnWriteArrayList<>()).add(listener);
        StatefulRedisPubSubConnection<String, String> current = connection;
        if (current != null) {
            current.async().subscribe(channel);
        }
    }

    void remove(String channel, Runnable listener) {
        remove(channel, new Woken(listener));
    }

    void remove(String channel, MessageListener listener) {
        List<MessageListener> left = listeners.computeIfPresent(channel, (c, list) -> {
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

    private void wake(String channel, @Nullable String message) {
        listeners.getOrDefault(channel, List.of()).forEach(listener -> listener.heard(message));
    }
}
