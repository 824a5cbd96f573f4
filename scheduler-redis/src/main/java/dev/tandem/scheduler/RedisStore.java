package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.store.Store;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store over one Redis, a Sentinel's master, or a Redis Cluster. All links to one Redis share one ordered
 * connection. When it breaks, or an answer is overdue, it is given up, its links are told, it is found out anew where
 * their partitions are, and another connection is made, with pauses that grow to two seconds.
 *
 * <p>Thread-safe. Nothing here blocks its caller.
 */
public final class RedisStore implements Store {

    private static final Logger log = LoggerFactory.getLogger(RedisStore.class);

    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;

    /** Before a link goes up again after an answer that only concerned itself, such as "out of memory". */
    private static final long LINK_PAUSE_MILLIS = 1_000;

    private static final long LISTEN_CHECK_MILLIS = 10_000;
    private static final long TRIM_MILLIS = 60_000;

    private final RedisSettings settings;
    private final ClientResources resources;
    private final Topology topology;
    private final Connector connector;
    private final Wakes wakes = new Wakes();
    private final Side side;
    private final Inspector inspector;
    private final Admin admin;
    private final Presence presence;
    private final Housekeeper housekeeper;
    private final Set<PauseWatch> pauses = ConcurrentHashMap.newKeySet();
    private volatile Status status = new Status(false, "not connected yet");

    /** Connects, watches, and tells links of downs and ups: all in one thread, so these never overlap. */
    private final ScheduledThreadPoolExecutor loop;

    // The loop's own
    private final Map<RedisURI, Node> nodes = new HashMap<>();

    /** Links that wait for their node to be found. */
    private final Set<RedisLink> homeless = new LinkedHashSet<>();

    private long pause = FIRST_PAUSE_MILLIS;
    private boolean finding;
    private @Nullable String lastTrouble;
    private boolean deaf;
    private boolean closed;

    private RedisStore(RedisSettings settings, Retention retention) {
        this.settings = settings;
        resources = DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .build();
        topology = Topology.of(settings, resources);
        connector = new Connector(settings, resources);
        side = new Side(topology, settings.answerTimeout().toMillis());
        inspector = new Inspector(side);
        admin = new Admin(side, inspector);
        presence = new Presence(side, wakes);
        housekeeper = new Housekeeper(side, retention);
        loop = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "tandem-redis");
            thread.setDaemon(true);
            return thread;
        });
        loop.setRemoveOnCancelPolicy(true);
    }

    /**
     * Starts to connect, without waiting; links are told {@code up} when they can be used.
     *
     * @throws IllegalArgumentException if an address can't be read
     */
    public static RedisStore open(RedisSettings settings) {
        return open(settings, Retention.DEFAULTS);
    }

    /** The same, keeping history as told. */
    public static RedisStore open(RedisSettings settings, Retention retention) {
        RedisStore store = new RedisStore(settings, retention);
        store.onLoop(store::subscribe);
        long tick = Math.max(10, settings.answerTimeout().toMillis() / 10);
        store.every(tick, store::watch);
        store.every(LISTEN_CHECK_MILLIS, store::listen);
        store.every(TRIM_MILLIS, store::trim);
        return store;
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        RedisLink link = new RedisLink(this, partition, listener);
        onLoop(() -> {
            wakes.add(Keys.wake(partition), link);
            register(partition);
            place(link);
            if (!homeless.isEmpty()) {
                find();
            }
        });
        return link;
    }

    /**
     * How it is with Redis.
     *
     * @param connected whether every link has its connection
     * @param detail for people: what is wrong, or where it is connected
     */
    public record Status(boolean connected, String detail) {}

    public Status status() {
        return status;
    }

    /**
     * Tells whether a queue is paused: once soon, and then at every change.
     *
     * @param hearer called on the store's threads; it must only note it and return
     * @return ends it
     */
    public AutoCloseable watchPause(String queue, Consumer<Boolean> hearer) {
        PauseWatch watch = new PauseWatch(inspector, queue, hearer);
        pauses.add(watch);
        wakes.add(Keys.changed(queue), watch);
        watch.run();
        return () -> {
            pauses.remove(watch);
            wakes.remove(Keys.changed(queue), watch);
        };
    }

    /** Looks into queues. */
    public Inspector inspector() {
        return inspector;
    }

    /** What an operator changes. */
    public Admin admin() {
        return admin;
    }

    /** Which executors there are. */
    public Presence presence() {
        return presence;
    }

    @Override
    public void close() {
        onLoop(() -> {
            closed = true;
            loop.shutdownNow();
            CompletableFuture.allOf(connector.end(), topology.end())
                    .whenComplete((done, failure) -> resources.shutdown(0, 2, TimeUnit.SECONDS));
        });
    }

    void closed(RedisLink link) {
        onLoop(() -> {
            wakes.remove(Keys.wake(link.partition()), link);
            homeless.remove(link);
            nodes.values().forEach(node -> node.links.remove(link));
        });
    }

    /** An answer failed, and the link has voided what it sent. */
    void failed(RedisLink link, Session from, String reason, @Nullable Throwable failure) {
        onLoop(() -> {
            link.down(reason);
            switch (Failures.kind(failure)) {
                case CONNECTION -> broken(from, reason);
                case MOVED -> {
                    from.node().links.remove(link);
                    homeless.add(link);
                    log.info("{} is not at {} any more: {}", link.partition(), from.node(), reason);
                    later(this::find);
                }
                case REQUEST -> {
                    log.warn("Redis at {} refused a request of {}: {}", from.node(), link.partition(), reason);
                    loop.schedule(() -> guarded(() -> again(link, from)), LINK_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                }
            }
        });
    }

    /** A hand-over was answered. */
    void room(Node node, boolean has) {
        if (node.full == has) {
            node.full = !has;
            onLoop(() -> {
                if (node.full) {
                    full(node);
                } else if (!node.memory.isEmpty()) {
                    log.info("Redis at {} has room again", node);
                    node.memory = "";
                    noteConnected();
                }
            });
        }
    }

    // From here on, all on the loop's thread

    /** Says so, with how much memory it has. Asked again from time to time, in case nobody tries to hand over any more. */
    private void full(Node node) {
        Session session = node.session;
        if (session == null || !node.full) {
            return;
        }
        session.memory()
                .whenComplete((info, failure) -> onLoop(() -> {
                    if (failure != null || !node.full) {
                        return;
                    }
                    Memory memory = Memory.of(info);
                    if (memory.isFull()) {
                        if (node.memory.isEmpty()) {
                            log.warn("Redis at {}: {}", node, memory);
                        }
                        node.memory = memory.toString();
                        noteConnected();
                    } else {
                        room(node, true);
                    }
                }));
    }

    /** So that the partition is found by those who look. */
    private void register(Partition partition) {
        byte[] name = partition.name().getBytes(StandardCharsets.UTF_8);
        side.run(commands -> commands.sadd(Keys.partitions(partition.queue()), name))
                .whenComplete((added, failure) -> {
                    if (failure != null) {
                        onLoop(() -> loop.schedule(
                                () -> guarded(() -> register(partition)), LONGEST_PAUSE_MILLIS, TimeUnit.MILLISECONDS));
                    }
                });
    }

    private void again(RedisLink link, Session from) {
        if (from.node().session == from && from.node().links.contains(link)) {
            link.attach(from);
        }
    }

    /** Gives a link to the node that has its partition, or leaves it homeless. */
    private void place(RedisLink link) {
        RedisURI uri = closed || link.isClosed() ? null : topology.locate(link.partition());
        if (uri == null) {
            homeless.add(link);
            return;
        }
        homeless.remove(link);
        Node node = nodes.computeIfAbsent(uri, Node::new);
        node.links.add(link);
        if (node.session != null) {
            link.attach(node.session);
        } else {
            connect(node);
        }
    }

    /** Finds out where the homeless links' partitions are. */
    private void find() {
        if (finding || closed) {
            return;
        }
        finding = true;
        CompletableFuture<Void> refreshing;
        try {
            refreshing = topology.refresh();
        } catch (RuntimeException e) {
            refreshing = CompletableFuture.failedFuture(e);
        }
        refreshing.whenComplete((done, failure) -> onLoop(() -> {
            finding = false;
            homeless.removeIf(RedisLink::isClosed);
            if (failure != null) {
                trouble("Redis can't be reached: " + Failures.why(failure));
            } else {
                List.copyOf(homeless).forEach(this::place);
            }
            if (!homeless.isEmpty()) {
                later(this::find);
            }
        }));
    }

    private void connect(Node node) {
        if (closed || node.connecting || node.session != null) {
            return;
        }
        node.connecting = true;
        connector.connect(node).whenComplete((session, failure) -> onLoop(() -> connected(node, session, failure)));
    }

    private void connected(Node node, @Nullable Session made, @Nullable Throwable failure) {
        node.connecting = false;
        if (made == null) {
            trouble("Redis at " + node + (Failures.isUnfit(failure) ? ": " : " can't be reached: ")
                    + Failures.why(failure));
            evict(node);
            return;
        }
        if (closed) {
            made.close();
            return;
        }
        node.session = made;
        made.whenBroken(() -> onLoop(() -> broken(made, "the connection broke")));
        if (!made.isOpen()) {
            broken(made, "the connection broke");
            return;
        }
        pause = FIRST_PAUSE_MILLIS;
        lastTrouble = null;
        log.info("Connected to Redis at {}", node);
        noteConnected();
        List.copyOf(node.links).forEach(link -> link.attach(made));
    }

    private void noteConnected() {
        if (homeless.isEmpty() && nodes.values().stream().allMatch(node -> node.session != null)) {
            status = new Status(
                    true, nodes.values().stream().map(Node::detail).sorted().collect(Collectors.joining(", ")));
        }
    }

    private void broken(Session session, String reason) {
        Node node = session.node();
        if (node.session != session) {
            return;
        }
        node.session = null;
        session.close();
        if (closed) {
            return;
        }
        trouble("Redis at " + node + ": " + reason + ". A new connection is made");
        for (RedisLink link : node.links) {
            if (link.detach(session)) {
                link.down(reason);
            }
        }
        evict(node);
    }

    /** A node's links look for their home again: by then it may be another. */
    private void evict(Node node) {
        nodes.remove(node.uri, node);
        homeless.addAll(node.links);
        later(this::find);
    }

    private void watch() {
        long limit = System.nanoTime() - settings.answerTimeout().toNanos();
        for (Node node : List.copyOf(nodes.values())) {
            Session session = node.session;
            if (session != null && node.links.stream().anyMatch(link -> link.waitsSince(limit))) {
                broken(session, "no answer for " + settings.answerTimeout().toMillis() + " ms");
            }
        }
    }

    /** What was told while nobody heard is looked up; a deaf connection is made anew. */
    private void listen() {
        wakes.check(settings.answerTimeout().toMillis(), () -> onLoop(this::subscribe));
        pauses.forEach(PauseWatch::run);
        nodes.values().forEach(this::full);
    }

    private void trim() {
        presence.forget();
        for (Node node : nodes.values()) {
            node.links.stream().filter(RedisLink::isOwner).forEach(link -> housekeeper.trim(link.partition()));
        }
    }

    private void subscribe() {
        if (closed) {
            return;
        }
        topology.subscriber()
                .whenComplete((connection, failure) -> onLoop(() -> {
                    if (connection != null) {
                        deaf = false;
                        wakes.connected(connection);
                    } else {
                        if (!deaf && status.connected()) {
                            deaf = true;
                            log.warn(
                                    "Redis's channels can't be listened to, so what operators and former owners change"
                                            + " is noticed at the next renewal only: {}",
                                    Failures.why(failure));
                        }
                        loop.schedule(() -> guarded(this::subscribe), LONGEST_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                    }
                }));
    }

    /** Says it once, however often it is tried. */
    private void trouble(String what) {
        status = new Status(false, what);
        if (!what.equals(lastTrouble)) {
            log.warn("{}", what);
            lastTrouble = what;
        }
    }

    private void every(long millis, Runnable task) {
        loop.scheduleWithFixedDelay(() -> guarded(task), millis, millis, TimeUnit.MILLISECONDS);
    }

    private void later(Runnable task) {
        loop.schedule(() -> guarded(task), pause, TimeUnit.MILLISECONDS);
        pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(() -> guarded(task));
        } catch (RejectedExecutionException e) {
            // Closed.
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            log.error("The connection to Redis, or a listener of it, failed in an unexpected way", e);
        }
    }
}
