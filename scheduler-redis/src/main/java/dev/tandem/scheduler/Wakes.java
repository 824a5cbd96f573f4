package dev.tandem.scheduler;

import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Hears when operators or former owners changed something. Only a hint that saves waiting: whatever is missed while
 * nobody is subscribed shows in the next answers, so a new subscription counts as a hint too.
 */
final class Wakes {

    private final Map<String, RedisLink> links = new ConcurrentHashMap<>();
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
        if (!links.isEmpty()) {
            made.async().subscribe(links.keySet().toArray(String[]::new));
        }
    }

    void add(RedisLink link) {
        String channel = Keys.wake(link.partition());
        links.put(channel, link);
        StatefulRedisPubSubConnection<String, String> now = connection;
        if (now != null) {
            now.async().subscribe(channel);
        }
    }

    void remove(RedisLink link) {
        String channel = Keys.wake(link.partition());
        StatefulRedisPubSubConnection<String, String> now = connection;
        if (links.remove(channel, link) && now != null) {
            now.async().unsubscribe(channel);
        }
    }

    private void wake(String channel) {
        RedisLink link = links.get(channel);
        if (link != null) {
            link.woken();
        }
    }
}
