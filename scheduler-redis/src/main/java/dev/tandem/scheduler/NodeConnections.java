package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects each link to the Redis node that has its partition. All links of a node share one session. When a session
 * breaks, its links go down, their nodes are looked up again, and new sessions are made, with pauses that grow to two
 * seconds. Used by the store's thread only, except for {@link #status}.
 */
final class NodeConnections {

    private static final Logger log = LoggerFactory.getLogger(NodeConnections.class);

    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;

    /** The pause after a failure that concerned one link only, such as "out of memory". */
    private static final long LINK_PAUSE_MILLIS = 1_000;

    private final RedisTopology topology;
    private final RedisConnector connector;
    private final StoreThread thread;
    private final Map<RedisURI, RedisNode> nodes = new HashMap<>();

    /** Links whose node is not known yet. */
    private final Set<RedisLink> unplaced = new LinkedHashSet<>();

    private long pause = FIRST_PAUSE_MILLIS;
    private boolean locating;
    private @Nullable String lastProblem;
    private boolean closed;
    private volatile RedisStore.Status status = new RedisStore.Status(false, "not connected yet");

    NodeConnections(RedisTopology topology, RedisConnector connector, StoreThread thread) {
        this.topology = topology;
        this.connector = connector;
        this.thread = thread;
    }

    RedisStore.Status status() {
        return status;
    }

    Collection<RedisNode> nodes() {
        return List.copyOf(nodes.values());
    }

    /** Returns the partitions of the links that are owners. */
    List<Partition> ownedPartitions() {
        return nodes.values().stream()
                .flatMap(node -> node.links.stream())
                .filter(RedisLink::isOwner)
                .map(RedisLink::partition)
                .toList();
    }

    void add(RedisLink link) {
        place(link);
        if (!unplaced.isEmpty()) {
            locate();
        }
    }

    void remove(RedisLink link) {
        unplaced.remove(link);
        nodes.values().forEach(node -> node.links.remove(link));
    }

    /** Handles a failed request whose link has already voided its other requests. */
    void failed(RedisLink link, RedisSession session, String reason, @Nullable Throwable failure) {
        link.down(reason);
        switch (RedisFailures.kind(failure)) {
            case CONNECTION -> disconnected(session, reason);
            case MOVED -> {
                session.node().links.remove(link);
                unplaced.add(link);
                log.info("{} has moved away from {}: {}", link.partition(), session.node(), reason);
                locateLater();
            }
            case REQUEST -> {
                log.warn("Redis at {} refused a request for {}: {}", session.node(), link.partition(), reason);
                thread.runAfter(LINK_PAUSE_MILLIS, () -> attachAgain(link, session));
            }
        }
    }

    private void attachAgain(RedisLink link, RedisSession session) {
        RedisNode node = session.node();
        if (node.session == session && node.links.contains(link)) {
            link.attach(session);
        }
    }

    /** Gives a link to the node that has its partition, if that is known. */
    private void place(RedisLink link) {
        RedisURI uri = closed || link.isClosed() ? null : topology.locate(link.partition());
        if (uri == null) {
            unplaced.add(link);
            return;
        }
        unplaced.remove(link);
        RedisNode node = nodes.computeIfAbsent(uri, RedisNode::new);
        node.links.add(link);
        if (node.session != null) {
            link.attach(node.session);
        } else {
            connect(node);
        }
    }

    /** Looks up the nodes of unplaced links. */
    private void locate() {
        if (locating || closed) {
            return;
        }
        locating = true;
        CompletableFuture<Void> refreshing;
        try {
            refreshing = topology.refresh();
        } catch (RuntimeException | Error e) {
            refreshing = CompletableFuture.failedFuture(e);
        }
        refreshing.whenComplete((done, failure) -> thread.run(() -> located(failure)));
    }

    private void located(@Nullable Throwable failure) {
        locating = false;
        unplaced.removeIf(RedisLink::isClosed);
        if (failure != null) {
            unreachable("Cannot reach Redis: " + RedisFailures.describe(failure));
        } else {
            List.copyOf(unplaced).forEach(this::place);
        }
        if (!unplaced.isEmpty()) {
            locateLater();
        }
    }

    private void locateLater() {
        thread.runAfter(pause, this::locate);
        pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
    }

    private void connect(RedisNode node) {
        if (closed || node.connecting || node.session != null) {
            return;
        }
        node.connecting = true;
        connector.connect(node).whenComplete((session, failure) -> thread.run(() -> connected(node, session, failure)));
    }

    private void connected(RedisNode node, @Nullable RedisSession session, @Nullable Throwable failure) {
        node.connecting = false;
        if (session == null) {
            String why = RedisFailures.describe(failure);
            if (RedisFailures.isUnfit(failure)) {
                problem(unfitText(node, why));
            } else {
                unreachable("Cannot reach Redis at " + node + ": " + why);
            }
            dissolve(node);
            return;
        }
        if (closed) {
            session.close();
            return;
        }
        node.session = session;
        session.onDisconnect(() -> thread.run(() -> disconnected(session, "the connection broke")));
        if (!session.isOpen()) {
            disconnected(session, "the connection broke");
            return;
        }
        pause = FIRST_PAUSE_MILLIS;
        lastProblem = null;
        log.info("Connected to Redis at {}", node);
        updateStatus();
        List.copyOf(node.links).forEach(link -> link.attach(session));
    }

    /** Gives a session up and tells its links, if that has not happened before. */
    void disconnected(RedisSession session, String reason) {
        giveUp(
                session,
                reason,
                "Lost the connection to Redis at " + session.node() + ": " + reason + ". Reconnecting.");
    }

    /** Gives a session up because Redis must not be used as it is now. */
    void unfit(RedisSession session, String why) {
        giveUp(session, why, unfitText(session.node(), why));
    }

    private static String unfitText(RedisNode node, String why) {
        return "Redis at " + node + " is unsafe for tasks; none will start: " + why;
    }

    private void giveUp(RedisSession session, String reason, String problem) {
        RedisNode node = session.node();
        if (node.session != session) {
            return;
        }
        node.session = null;
        session.close();
        if (closed) {
            return;
        }
        problem(problem);
        for (RedisLink link : new ArrayList<>(node.links)) {
            if (link.detach(session)) {
                link.down(reason);
            }
        }
        dissolve(node);
    }

    /** Has a node's links looked up again, because their partitions may be elsewhere by then. */
    private void dissolve(RedisNode node) {
        nodes.remove(node.uri, node);
        unplaced.addAll(node.links);
        locateLater();
    }

    /** Gives up sessions that have not answered a request since this {@link System#nanoTime}. */
    void checkOverdue(long nanoTime, String reason) {
        for (RedisNode node : nodes()) {
            RedisSession session = node.session;
            if (session != null && node.links.stream().anyMatch(link -> link.waitsSince(nanoTime))) {
                disconnected(session, reason);
            }
        }
    }

    /** Gives up sessions whose primary is cut off from its replicas. */
    void checkCutOff() {
        for (RedisNode node : nodes()) {
            RedisSession session = node.session;
            if (session != null && session.checkCutOff()) {
                disconnected(
                        session,
                        "too few of its " + session.replicas()
                                + " replicas have answered for half a lease. One may have" + " been promoted");
            }
        }
    }

    /** Updates the status if every link has its connection. */
    void updateStatus() {
        if (unplaced.isEmpty() && nodes.values().stream().allMatch(node -> node.session != null)) {
            String detail =
                    nodes.values().stream().map(RedisNode::detail).sorted().collect(Collectors.joining(", "));
            status = new RedisStore.Status(true, detail);
        }
    }

    private void unreachable(String text) {
        boolean all = nodes.values().stream().allMatch(node -> node.session == null);
        problem(
                text,
                all
                        ? ". No task starts until Redis answers. It is tried again and again"
                        : ". No task of the partitions there starts until it answers. It is tried again and again");
    }

    private void problem(String text) {
        problem(text, "");
    }

    /** Logs a problem once, however often the same one occurs, with what follows from it. */
    private void problem(String text, String consequence) {
        status = new RedisStore.Status(false, text);
        if (!text.equals(lastProblem)) {
            log.warn("{}{}", text, consequence);
            lastProblem = text;
        }
    }

    /** Makes no new connections from now on. */
    void close() {
        closed = true;
    }
}
