package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.store.Store;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store over Redis. All links of a process share one ordered connection. When it breaks, or an answer is overdue,
 * the connection is given up and every link is told; then another is made, with pauses that grow to two seconds.
 *
 * <p>Thread-safe. Nothing here blocks its caller.
 */
public final class RedisStore implements Store {

    private static final Logger log = LoggerFactory.getLogger(RedisStore.class);

    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;

    /** Before a link goes up again after an answer that only concerned itself, such as "out of memory". */
    private static final long LINK_PAUSE_MILLIS = 1_000;

    private final RedisSettings settings;
    private final RedisURI uri;
    private final RedisClient client;
    private final Set<RedisLink> links = ConcurrentHashMap.newKeySet();

    /** Connects, watches, and tells links of downs and ups: all in one thread, so these never overlap. */
    private final ScheduledThreadPoolExecutor loop;

    private @Nullable Session session;
    private long pause = FIRST_PAUSE_MILLIS;
    private boolean closed;

    private RedisStore(RedisSettings settings) {
        this.settings = settings;
        uri = RedisURI.create(settings.uris().get(0));
        client = RedisClient.create(uri);
        client.setOptions(ClientOptions.builder()
                // A connection that broke is never mended: what was sent on it must not be sent again by itself.
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .protocolVersion(ProtocolVersion.RESP2)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofSeconds(2))
                        .keepAlive(true)
                        .tcpNoDelay(true)
                        .build())
                .build());
        loop = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "tandem-redis");
            thread.setDaemon(true);
            return thread;
        });
        loop.setRemoveOnCancelPolicy(true);
    }

    /** Starts to connect, without waiting; links are told {@code up} when they can be used. */
    public static RedisStore open(RedisSettings settings) {
        RedisStore store = new RedisStore(settings);
        store.loop.execute(store::connect);
        long tick = Math.max(10, settings.answerTimeout().toMillis() / 10);
        store.loop.scheduleWithFixedDelay(store::watch, tick, tick, TimeUnit.MILLISECONDS);
        return store;
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        RedisLink link = new RedisLink(this, partition, listener);
        links.add(link);
        onLoop(() -> {
            if (session != null) {
                link.attach(session);
            }
        });
        return link;
    }

    @Override
    public void close() {
        onLoop(() -> {
            closed = true;
            if (session != null) {
                session.close();
            }
            loop.shutdownNow();
        });
        client.shutdownAsync(0, 2, TimeUnit.SECONDS);
    }

    void closed(RedisLink link) {
        links.remove(link);
    }

    /** An answer failed: if it tells of the connection's own trouble it is given up, else only the link is down. */
    void failed(RedisLink link, Session from, String why, @Nullable Throwable failure) {
        onLoop(() -> {
            link.down(why);
            if (Failures.concernsConnection(failure)) {
                broken(from, why);
            } else {
                log.warn("Redis refused a request of {}: {}", link.partition(), why);
                loop.schedule(
                        () -> {
                            if (session == from) {
                                link.attach(from);
                            }
                        },
                        LINK_PAUSE_MILLIS,
                        TimeUnit.MILLISECONDS);
            }
        });
    }

    // On the loop's thread

    private void connect() {
        if (closed || session != null) {
            return;
        }
        CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connecting;
        try {
            connecting = client.connectAsync(ByteArrayCodec.INSTANCE, uri).toCompletableFuture();
        } catch (RuntimeException e) {
            connecting = CompletableFuture.failedFuture(e);
        }
        connecting
                .thenCompose(connection -> loadScripts(connection).thenApply(loaded -> connection))
                .whenComplete((connection, failure) -> onLoop(() -> connected(connection, failure)));
    }

    private static CompletableFuture<Void> loadScripts(StatefulRedisConnection<byte[], byte[]> connection) {
        List<CompletableFuture<String>> loading = new ArrayList<>();
        for (Script script : Script.values()) {
            RedisFuture<String> future = connection.async().scriptLoad(script.source());
            loading.add(future.toCompletableFuture());
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(loading.toArray(CompletableFuture[]::new));
        all.whenComplete((done, failure) -> {
            if (failure != null) {
                connection.closeAsync();
            }
        });
        return all;
    }

    private void connected(@Nullable StatefulRedisConnection<byte[], byte[]> connection, @Nullable Throwable failure) {
        if (connection == null) {
            log.warn("Redis at {} can't be reached, trying again in {} ms: {}", uri, pause, Failures.why(failure));
            loop.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
            pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
            return;
        }
        Session made = new Session(connection);
        if (closed) {
            made.close();
            return;
        }
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                onLoop(() -> broken(made, "the connection to Redis at " + uri + " broke"));
            }
        });
        session = made;
        pause = FIRST_PAUSE_MILLIS;
        log.info("Connected to Redis at {}", uri);
        links.forEach(link -> link.attach(made));
        if (!connection.isOpen()) {
            broken(made, "the connection to Redis at " + uri + " broke");
        }
    }

    private void broken(Session which, String why) {
        if (session != which) {
            return;
        }
        session = null;
        which.close();
        if (closed) {
            return;
        }
        log.warn("Redis connection given up, a new one is made: {}", why);
        for (RedisLink link : links) {
            if (link.detach(which)) {
                link.down(why);
            }
        }
        loop.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
        pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
    }

    private void watch() {
        Session now = session;
        if (now == null) {
            return;
        }
        long limit = System.nanoTime() - settings.answerTimeout().toNanos();
        for (RedisLink link : links) {
            long oldest = link.oldest();
            if (oldest != Long.MAX_VALUE && oldest - limit < 0) {
                broken(
                        now,
                        "no answer from Redis at " + uri + " for "
                                + settings.answerTimeout().toMillis() + " ms");
                return;
            }
        }
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException e) {
                    log.error("A listener or the connection to Redis failed in an unexpected way", e);
                }
            });
        } catch (RejectedExecutionException e) {
            // Closed.
        }
    }
}
