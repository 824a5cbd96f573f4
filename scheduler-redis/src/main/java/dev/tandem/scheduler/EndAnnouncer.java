package dev.tandem.scheduler;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Says which tasks have ended once that is recorded: those that somebody waits for, and all that have results. Nothing is sent for
 * other tasks. Thread-safe.
 */
final class EndAnnouncer {

    /** Sends a message on a channel. */
    private final BiConsumer<byte[], byte[]> publisher;

    private final RedisKeys keys;
    private final WakeupSubscriber wakeups;
    private final AwaitedEnds awaited;
    /** The listener of each queue that hears who waits, with the number of its links. */
    private final Map<String, Listening> listening = new ConcurrentHashMap<>();

    private record Listening(WakeupSubscriber.MessageListener listener, int links) {}

    EndAnnouncer(RedisKeys keys, WakeupSubscriber wakeups, AwaitedEnds awaited, BiConsumer<byte[], byte[]> publisher) {
        this.keys = keys;
        this.wakeups = wakeups;
        this.awaited = awaited;
        this.publisher = publisher;
    }

    /** Hears from now on who waits for tasks of a queue, until {@link #closed} has been called as often. */
    void opened(String queue) {
        listening.compute(queue, (q, before) -> {
            if (before != null) {
                return new Listening(before.listener(), before.links() + 1);
            }
            WakeupSubscriber.MessageListener listener = message -> awaited.heard(queue, message);
            wakeups.add(keys.awaitedChannel(queue), listener);
            return new Listening(listener, 1);
        });
    }

    void closed(String queue) {
        listening.computeIfPresent(queue, (q, before) -> {
            if (before.links() > 1) {
                return new Listening(before.listener(), before.links() - 1);
            }
            wakeups.remove(keys.awaitedChannel(queue), before.listener());
            return null;
        });
    }

    /** Returns whether anybody is known to wait for a task of the queue. */
    boolean isAnyAwaited(String queue) {
        return awaited.anyOf(queue);
    }

    /** Returns whether somebody is known to wait for a task with this name. */
    boolean isAwaited(String queue, String name) {
        return awaited.has(queue, EndMessage.hash(name));
    }

    /** Announces the ends that a request has recorded. */
    void recorded(StoreRequest request) {
        if (request instanceof StoreRequest.SettleAndClaim step) {
            settled(step.header().partition(), step.settles());
        } else if (request instanceof StoreRequest.SettleLate late) {
            settled(late.partition(), List.of(late.settle()));
        } else if (request instanceof StoreRequest.TakeCustody custody) {
            handedOver(custody.header().partition(), custody.entries());
        }
    }

    private void settled(Partition partition, List<Settle> settles) {
        boolean anybody = awaited.anyOf(partition.queue());
        EndMessage message = null;
        for (Settle settle : settles) {
            boolean result = hasResult(settle);
            if (result || anybody) {
                message = message == null ? new EndMessage(partition) : message;
                add(message, partition, settle, result);
            }
        }
        send(partition, message);
    }

    private void handedOver(Partition partition, List<HandOver> entries) {
        if (awaited.anyOf(partition.queue())) {
            EndMessage message = new EndMessage(partition);
            for (HandOver entry : entries) {
                byte[] envelope = entry.envelope();
                boolean ends = entry.move() instanceof Move.Bury || entry.move() instanceof Move.Cancel;
                if (ends && envelope != null) {
                    add(message, partition, entry.position(), idOf(partition, envelope), false);
                }
            }
            send(partition, message);
        }
    }

    private static boolean hasResult(Settle settle) {
        return settle.verdict() instanceof Verdict.Success success
                && success.record() != null
                && success.record().result() != null;
    }

    private void add(EndMessage message, Partition partition, Settle settle, boolean result) {
        if (settle.verdict() instanceof Verdict.Success success) {
            SuccessRecord record = success.record();
            add(message, partition, settle.position(), record == null ? null : record.id(), result);
        } else if (settle.verdict() instanceof Verdict.Dead dead) {
            add(message, partition, settle.position(), idOf(partition, dead.envelope()), false);
            if (dead.deadHead() == DeadHead.DRAIN) {
                message.addAny();
            }
        }
    }

    /** @param always whether to name the task even if nobody is known to wait for it */
    private void add(EndMessage message, Partition partition, Position position, @Nullable String id, boolean always) {
        String queue = partition.queue();
        String named = EndMessage.hash(id == null ? EndMessage.defaultName(partition, position) : id);
        if (always || awaited.has(queue, named)) {
            message.add(named, position);
        }
        String placed = EndMessage.hash(position.text());
        if (awaited.has(queue, placed)) {
            message.add(placed, position);
        }
    }

    /** Returns the id of a task; null if it has none, or cannot be read. A hint must not break the link. */
    private static @Nullable String idOf(Partition partition, byte[] envelope) {
        try {
            return Envelope.decode(partition.queue(), envelope).task().id();
        } catch (RuntimeException e) {
            return null;
        }
    }

    /** Announces that an operator has ended a task, or several. @param position null if they are not known */
    void changed(Partition partition, @Nullable Position position, @Nullable String id) {
        EndMessage message = new EndMessage(partition);
        if (position == null) {
            message.addAny();
        } else {
            message.add(EndMessage.hash(id == null ? EndMessage.defaultName(partition, position) : id), position);
            message.add(EndMessage.hash(position.text()), position);
        }
        send(partition, message);
    }

    /** Sends a message. If it is lost, whoever waits looks a little later. */
    private void send(Partition partition, @Nullable EndMessage message) {
        if (message != null && !message.isEmpty()) {
            publisher.accept(
                    keys.endsChannel(partition.queue()).getBytes(StandardCharsets.UTF_8),
                    message.toString().getBytes(StandardCharsets.UTF_8));
        }
    }
}
