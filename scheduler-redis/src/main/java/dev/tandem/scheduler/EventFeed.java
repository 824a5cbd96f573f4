package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.event.TaskEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The recorded events of the partitions that this process owns, in their order, until the broker has confirmed them. Thread-safe.
 */
public final class EventFeed {

    /** The bytes in front of a page. */
    static final int HEAD_BYTES = 16;

    /**
     * The oldest events of a partition.
     *
     * @param events in their order
     * @param dropped how many were dropped in front of those that this request confirmed
     * @param bytesLeft of all events that wait, these included
     */
    public record Batch(List<TaskEvent> events, long dropped, long bytesLeft, byte[] lastHead, int pages) {

        Batch(List<TaskEvent> events, long dropped, long bytesLeft, List<byte[]> pages) {
            this(
                    List.copyOf(events),
                    dropped,
                    bytesLeft,
                    pages.isEmpty() ? new byte[0] : Arrays.copyOf(pages.get(pages.size() - 1), HEAD_BYTES),
                    pages.size());
        }

        private long first() {
            return events.isEmpty() ? 0 : events.get(0).number();
        }

        private long behindLast() {
            return events.isEmpty() ? 0 : events.get(events.size() - 1).number() + 1;
        }
    }

    private final AdminConnection connection;
    private final Map<String, EventPolicy> policies;
    private final Map<Partition, LinkEvents> links = new ConcurrentHashMap<>();
    private volatile @Nullable Consumer<Partition> listener;

    EventFeed(AdminConnection connection, Map<String, EventPolicy> policies) {
        this.connection = connection;
        this.policies = Map.copyOf(policies);
    }

    /**
     * Hears of partitions of this process that may have events to publish, again and again.
     *
     * @param heard called on the store's threads; it must not block
     */
    public void listen(Consumer<Partition> heard) {
        listener = heard;
        links.forEach((partition, link) -> tell(partition));
    }

    /** Returns whether this process may publish the events of a partition, since it is the owner. */
    public boolean isOwner(Partition partition) {
        LinkEvents link = links.get(partition);
        return link != null && link.isOwner();
    }

    /**
     * Returns the oldest events of a partition.
     *
     * @param confirmed the batch before, which is removed; null if there was none or not all of it was confirmed
     * @param maxBytes of the events in the store's form; the last ones may exceed it
     * @return fails if the store cannot be reached or does not answer in time
     */
    public CompletableFuture<Batch> take(Partition partition, @Nullable Batch confirmed, int maxBytes) {
        return connection
                .runScript(
                        Script.TAKE_EVENTS,
                        connection.keys().withEvents(partition),
                        confirmed == null ? new byte[0] : confirmed.lastHead(),
                        number(confirmed == null ? 0 : confirmed.pages()),
                        number(maxBytes),
                        number(confirmed == null ? 0 : confirmed.first()),
                        number(confirmed == null ? 0 : confirmed.behindLast()))
                .thenApply(reply -> batch(partition, reply));
    }

    /** Drops the oldest events of a partition beyond a limit, or some of them. @return the bytes that are left */
    CompletableFuture<Long> trim(Partition partition, long limit) {
        return connection
                .runScript(Script.TRIM_EVENTS, connection.keys().withEvents(partition), number(limit))
                .thenApply(reply -> (Long) reply.get(0));
    }

    private Batch batch(Partition partition, List<Object> reply) {
        List<TaskEvent> events = new ArrayList<>();
        List<byte[]> pages = new ArrayList<>();
        for (Object page : (List<?>) reply.get(2)) {
            pages.add((byte[]) page);
            events.addAll(EventPage.read(partition, (byte[]) page));
        }
        Batch batch = new Batch(events, (Long) reply.get(0), (Long) reply.get(1), pages);
        LinkEvents link = links.get(partition);
        if (link != null) {
            link.counted(batch.bytesLeft());
        }
        return batch;
    }

    private static byte[] number(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns what a link needs to record events; null if its queue has none. */
    @Nullable
    LinkEvents open(RedisLink link) {
        EventPolicy policy = policies.get(link.partition().queue());
        return policy == null ? null : new LinkEvents(this, link, policy);
    }

    void owned(LinkEvents link) {
        links.put(link.partition(), link);
        tell(link.partition());
    }

    void closed(LinkEvents link) {
        links.remove(link.partition(), link);
    }

    void tell(Partition partition) {
        Consumer<Partition> heard = listener;
        if (heard != null) {
            heard.accept(partition);
        }
    }
}
