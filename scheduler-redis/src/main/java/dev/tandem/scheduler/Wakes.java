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
 * Hears what is told on channels: that an operator or a former owner changed something. Only a hint that saves waiting,
 * so a new subscription counts as one too: something may have been told while nobody listened. Thread-safe.
 */
final class Wakes {

    private final Map<String, List<Runnable>> hearers = new ConcurrentHashMap<>();
    private volatile @Nullable StatefulRedisPubSubConnection<String, String> connection;

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
        if (!hearers.isEmpty()) {
            made.async().subscribe(hearers.keySet().toArray(String[]::new));
        }
    }

    void add(String channel, Runnable hearer) {
        hearers.computeIfAbsent(channel, c -> new CopyOnWriteArrayList<>()).add(hearer);
        StatefulRedisPubSubConnection<String, String> now = connection;
        if (now != null) {
            now.async().subscribe(channel);
        }
    }

    void remove(String channel, Runnable hearer) {
        List<Runnable> left = hearers.computeIfPresent(channel, (c, list) -> {
            list.remove(hearer);
            return list.isEmpty() ? null : list;
        });
        StatefulRedisPubSubConnection<String, String> now = connection;
        if (left == null && now != null) {
            now.async().unsubscribe(channel);
        }
    }

    /** Finds out whether the connection is deaf, which a subscriber that only listens would never notice. */
    void check(long limitMillis, Runnable deaf) {
        StatefulRedisPubSubConnection<String, String> now = connection;
        if (now == null) {
            return;
        }
        now.async()
                .ping()
                .toCompletableFuture()
                .orTimeout(limitMillis, TimeUnit.MILLISECONDS)
                .whenComplete((pong, failure) -> {
                    if (failure != null && connection == now) {
                        connection = null;
                        now.closeAsync();
                        deaf.run();
                    }
                });
    }

    private void wake(String channel) {
        hearers.getOrDefault(channel, List.of()).forEach(Runnable::run);
    }
}
