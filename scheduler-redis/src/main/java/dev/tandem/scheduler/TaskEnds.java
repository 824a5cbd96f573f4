package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskPlace;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the ends of tasks. Whoever waits says so on a channel of the queue, and links then announce the end. Messages may be
 * lost, so a task is also looked for now and then. Thread-safe.
 */
public final class TaskEnds {

    /** The interval in which those who wait say so. Less than {@link AwaitedEnds#COUNTS_MILLIS}, since a message may be lost. */
    static final long SAY_AGAIN_MILLIS = 5_000;

    private static final long SEND_AGAIN_MILLIS = 500;

    /** The most searches that are under way at a time, however many wait. */
    private static final int SEARCHES_AT_ONCE = 8;

    /** The most names in a message. */
    private static final int MAX_NAMES = 1_000;

    private final AdminConnection connection;
    private final WakeupSubscriber wakeups;
    private final Inspector inspector;
    private final StoreThread thread;
    private final EndAnnouncer announcer;
    private final SearchQueue searches = new SearchQueue(SEARCHES_AT_ONCE);

    /** The waiting callers, by queue. Guarded by this. */
    private final Map<String, QueueWaiters> queues = new HashMap<>();

    private boolean saysAgain;
    private volatile boolean looksAgain = true;

    TaskEnds(AdminConnection connection, WakeupSubscriber wakeups, Inspector inspector, StoreThread thread) {
        this.connection = connection;
        this.wakeups = wakeups;
        this.inspector = inspector;
        this.thread = thread;
        announcer = new EndAnnouncer(connection.keys(), wakeups, new AwaitedEnds(), this::publish);
    }

    /** Returns what announces ends that this process records. */
    EndAnnouncer announcer() {
        return announcer;
    }

    /** Returns how many waiters have seen their task. For tests. */
    synchronized long seen(String queue) {
        QueueWaiters waiters = queues.get(queue);
        return waiters == null
                ? 0
                : waiters.all().stream().filter(each -> each.seen().isPresent()).count();
    }

    /** Lets whoever begins to wait from now on look once, and then only when a message comes. For tests. */
    void lookOnlyOnce() {
        looksAgain = false;
    }

    /**
     * Waits until the task with this id has ended, however it did. If several tasks have the id, any of them counts.
     *
     * @return the task as it ended; if it has not ended within this time, as it was seen last; empty if nobody has seen it. Never
     *     fails, since Redis may be back in time
     */
    public CompletableFuture<Optional<TaskView>> await(String queue, String id, Duration timeout) {
        return await(new EndWaiter(queue, id, null, inspector, searches, thread), timeout);
    }

    /** Waits for a task by its place, as {@link #await(String, String, Duration)} does. */
    public CompletableFuture<Optional<TaskView>> await(Partition partition, Position position, Duration timeout) {
        TaskPlace place = new TaskPlace(partition, position);
        return await(new EndWaiter(partition.queue(), null, place, inspector, searches, thread), timeout);
    }

    private CompletableFuture<Optional<TaskView>> await(EndWaiter waiter, Duration timeout) {
        add(waiter);
        waiter.begin(looksAgain);
        return waiter.end()
                .completeOnTimeout(Optional.empty(), timeout.toNanos(), TimeUnit.NANOSECONDS)
                .whenComplete((found, failure) -> remove(waiter))
                .thenApply(found -> found.isPresent() ? found : waiter.seen());
    }

    private synchronized void add(EndWaiter waiter) {
        String queue = waiter.queue();
        QueueWaiters waiters = queues.get(queue);
        if (waiters == null) {
            waiters = new QueueWaiters(queue);
            queues.put(queue, waiters);
            wakeups.add(connection.keys().endsChannel(queue), (WakeupSubscriber.MessageListener) waiters);
        }
        waiters.add(waiter);
        say(queue, waiter.hashes());
        if (!saysAgain) {
            saysAgain = true;
            thread.runAfter(SAY_AGAIN_MILLIS, this::sayAgain);
        }
    }

    private synchronized void remove(EndWaiter waiter) {
        QueueWaiters waiters = queues.get(waiter.queue());
        if (waiters != null && waiters.remove(waiter)) {
            queues.remove(waiter.queue());
            wakeups.remove(connection.keys().endsChannel(waiter.queue()), (WakeupSubscriber.MessageListener) waiters);
        }
    }

    /** Says again what is waited for, as long as anything is. */
    private synchronized void sayAgain() {
        saysAgain = !queues.isEmpty();
        queues.forEach((queue, waiters) -> {
            List<String> hashes = List.copyOf(waiters.hashes());
            for (int from = 0; from < hashes.size(); from += MAX_NAMES) {
                say(queue, hashes.subList(from, Math.min(hashes.size(), from + MAX_NAMES)));
            }
        });
        if (saysAgain) {
            thread.runAfter(SAY_AGAIN_MILLIS, this::sayAgain);
        }
    }

    private void say(String queue, List<String> hashes) {
        publish(bytes(connection.keys().awaitedChannel(queue)), bytes(String.join("", hashes)));
    }

    /** Sends a message, and tries that a second time. */
    private void publish(byte[] channel, byte[] message) {
        connection.run(commands -> commands.publish(channel, message)).whenComplete((receivers, failure) -> {
            if (failure != null) {
                thread.runAfter(
                        SEND_AGAIN_MILLIS, () -> connection.run(commands -> commands.publish(channel, message)));
            }
        });
    }

    /** The callers that wait for tasks of one queue. */
    private static final class QueueWaiters implements WakeupSubscriber.MessageListener {

        private final String queue;
        private final Map<String, Set<EndWaiter>> byHash = new HashMap<>();

        QueueWaiters(String queue) {
            this.queue = queue;
        }

        synchronized void add(EndWaiter waiter) {
            waiter.hashes()
                    .forEach(hash -> byHash.computeIfAbsent(hash, h -> new LinkedHashSet<>())
                            .add(waiter));
        }

        /** Returns whether nobody waits any more. */
        synchronized boolean remove(EndWaiter waiter) {
            waiter.hashes()
                    .forEach(hash -> byHash.computeIfPresent(hash, (h, waiters) -> {
                        waiters.remove(waiter);
                        return waiters.isEmpty() ? null : waiters;
                    }));
            return byHash.isEmpty();
        }

        synchronized Set<String> hashes() {
            return Set.copyOf(byHash.keySet());
        }

        private synchronized List<EndWaiter> withHash(String hash) {
            return List.copyOf(byHash.getOrDefault(hash, Set.of()));
        }

        private synchronized Set<EndWaiter> all() {
            Set<EndWaiter> all = new LinkedHashSet<>();
            byHash.values().forEach(all::addAll);
            return all;
        }

        @Override
        public void heard(@Nullable String message) {
            if (message == null) {
                all().forEach(EndWaiter::lookSoon);
                return;
            }
            int end = message.indexOf('\n');
            String name = end < 0 ? message : message.substring(0, end);
            if (!Partition.isName(name)) {
                return;
            }
            Partition partition = new Partition(queue, name);
            EndMessage.read(
                    message,
                    (hash, position) -> withHash(hash)
                            .forEach(waiter -> waiter.lookAtEnd(new TaskPlace(partition, new Position(position)))),
                    () -> all().forEach(EndWaiter::lookSoon));
        }
    }
}
