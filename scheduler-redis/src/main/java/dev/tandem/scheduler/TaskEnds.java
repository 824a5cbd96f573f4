package dev.tandem.scheduler;

import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the ends of tasks. When results of tasks are recorded, the link says on a channel of the queue which ids they have,
 * as hashes, so that whoever waits looks at once. All other ends are noticed within {@link #LOOK_AGAIN_MILLIS}, and so are
 * messages that were lost. Thread-safe.
 */
public final class TaskEnds {

    /** How often a task that is waited for is looked for without a message. */
    static final long LOOK_AGAIN_MILLIS = 2_000;

    private static final int HASH_DIGITS = 8;

    /** Two show that an id is not of one task only. */
    private static final int ENOUGH = 2;

    private final AdminConnection connection;
    private final WakeupSubscriber wakeups;
    private final Inspector inspector;
    private final StoreThread thread;

    TaskEnds(AdminConnection connection, WakeupSubscriber wakeups, Inspector inspector, StoreThread thread) {
        this.connection = connection;
        this.wakeups = wakeups;
        this.inspector = inspector;
        this.thread = thread;
    }

    /** Says which tasks have results from now on, if a request has recorded any. */
    void recorded(StoreRequest request) {
        if (request instanceof StoreRequest.SettleAndClaim step) {
            StringBuilder hashes = new StringBuilder();
            for (Settle settle : step.settles()) {
                String id = idOfResult(settle);
                if (id != null) {
                    hashes.append(hash(id));
                }
            }
            if (!hashes.isEmpty()) {
                byte[] channel = bytes(
                        connection.keys().endsChannel(step.header().partition().queue()));
                byte[] message = bytes(hashes.toString());
                // If it is lost, whoever waits looks a little later.
                connection.run(commands -> commands.publish(channel, message));
            }
        }
    }

    private static @Nullable String idOfResult(Settle settle) {
        return settle.verdict() instanceof Verdict.Success success
                        && success.record() != null
                        && success.record().result() != null
                ? success.record().id()
                : null;
    }

    private static String hash(String id) {
        return HexFormat.of().formatHex(SuccessPage.hash(id));
    }

    /**
     * Waits until the task with this id has ended, however it did. If several tasks have the id, any of them counts.
     *
     * @return empty if it has not ended within this time; never fails, since Redis may be back in time
     */
    public CompletableFuture<Optional<TaskView>> await(String queue, String id, Duration timeout) {
        Waiting waiting = new Waiting(queue, id);
        waiting.begin();
        return waiting.end
                .completeOnTimeout(Optional.empty(), timeout.toNanos(), TimeUnit.NANOSECONDS)
                .whenComplete((found, failure) -> waiting.close());
    }

    /** A task that somebody waits for. It is looked for by one request at a time. */
    private final class Waiting {

        private final String queue;
        private final String id;
        private final String hash;
        private final WakeupSubscriber.MessageListener listener = this::heard;
        private final CompletableFuture<Optional<TaskView>> end = new CompletableFuture<>();

        // Guarded by this.
        private boolean looking;
        private boolean looksAgain;

        Waiting(String queue, String id) {
            this.queue = queue;
            this.id = id;
            this.hash = hash(id);
        }

        void begin() {
            wakeups.add(connection.keys().endsChannel(queue), listener);
            look();
            lookLater();
        }

        void close() {
            wakeups.remove(connection.keys().endsChannel(queue), listener);
        }

        /** @param message null if one may have been missed */
        private void heard(@Nullable String message) {
            if (message == null) {
                look();
                return;
            }
            for (int at = 0; at + HASH_DIGITS <= message.length(); at += HASH_DIGITS) {
                if (message.startsWith(hash, at)) {
                    look();
                    return;
                }
            }
        }

        private void lookLater() {
            thread.runAfter(LOOK_AGAIN_MILLIS, () -> {
                if (!end.isDone()) {
                    look();
                    lookLater();
                }
            });
        }

        private void look() {
            synchronized (this) {
                looksAgain = looking;
                if (looking) {
                    return;
                }
                looking = true;
            }
            inspector.tasks(queue, id, ENOUGH).whenComplete((found, failure) -> {
                if (failure == null) {
                    ended(found);
                }
                if (looked() && !end.isDone()) {
                    look();
                }
            });
        }

        private void ended(List<TaskView> found) {
            found.stream()
                    .filter(task -> task.state().isFinal())
                    .findFirst()
                    .ifPresent(task -> end.complete(Optional.of(task)));
        }

        /** Returns whether to look once more, because of a message that came meanwhile. */
        private synchronized boolean looked() {
            looking = false;
            return looksAgain;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
