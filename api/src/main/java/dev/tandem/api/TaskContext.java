package dev.tandem.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a task, as its handler sees it. Valid while the handler runs. Thread-safe.
 */
public interface TaskContext {

    /**
     * Returns the task's id: the publisher's, else {@code <topic>:<partition>:<offset>} for a task from Kafka, else a
     * text made from the task's position. Two tasks may have the same id if their publishers gave it twice.
     */
    String id();

    /** Returns the name of the task's queue. */
    String queue();

    /** Returns the business id for deduplication that the publisher gave the task; null if it gave none. */
    default @Nullable String dedupKey() {
        return null;
    }

    /**
     * Returns the name of the task's place in its queue: its partition and its position there. No two tasks that the store
     * knows share it, also if their publishers gave them the same id.
     *
     * <p>It is for people, and no identity for ever. A task from RabbitMQ gets a new one if its executor died before anything
     * of it was recorded. A task from Kafka may get a new one if the topic's log was cut. If Redis lost its data, or a topic was
     * made anew, other tasks get the same ones. What has to recognise a task needs its {@link #dedupKey}.
     */
    default String position() {
        return id();
    }

    /** Returns the task's type, or the queue's default type if the task names none. */
    String type();

    /** Returns the key that orders the task; null if it has none. */
    @Nullable
    String key();

    /** Returns the payload itself, not a copy. The handler must not change it. */
    byte[] payload();

    /**
     * Reads the payload as JSON.
     *
     * @throws UnreadablePayloadException if the payload is not JSON that fits the type. If the handler does not catch
     *     it, the task is dead at once
     */
    <T> T payload(Class<T> type);

    /** Returns all headers in the order in which they were published. */
    Map<String, String> headers();

    /**
     * Returns the attributes of the CloudEvent that the task was published as, by their names: {@code id}, {@code source},
     * {@code type} and so on. Empty if it is no event.
     */
    default Map<String, String> cloudEvent() {
        return CloudEvents.attributes(headers());
    }

    /** Returns the number of this attempt, 1 or more. Attempts whose executor died count too. */
    int attempt();

    /** Returns how many attempts the task may have in all, 1 or more. */
    int maxAttempts();

    /**
     * Returns the fencing token of this attempt's claim. It is higher than the tokens of all earlier attempts of the
     * same key, or of the same task if it has no key. Pass it to the systems that the handler writes to, and have them
     * refuse a lower token than the highest they have seen.
     */
    long token();

    /** Returns when the handler will be interrupted; empty if the task has no timeout. */
    Optional<Instant> deadline();

    /** Returns whether the task is dead if this attempt fails. */
    default boolean isLastAttempt() {
        return attempt() >= maxAttempts();
    }

    /** Returns how many tasks the handler's call has: 1, or more if it is that of a batch handler. */
    default int batchSize() {
        return 1;
    }

    /**
     * Returns whether the task is dead if this attempt fails with this exception: no attempt is left, or another one cannot
     * cure it.
     */
    default boolean isFinal(Throwable failure) {
        return failure instanceof FinalError || isLastAttempt() && !(failure instanceof SnoozeError);
    }

    /**
     * Returns how long the task waited for its first start: since it was published, or since its earliest start if that is
     * later. Empty at later attempts, and if nobody knows when it was published.
     */
    default Optional<Duration> waited() {
        return Optional.empty();
    }

    /**
     * Returns whether the handler should give up: the attempt was interrupted, or its claim's lease ran out because the
     * store cannot be reached. In the latter case another executor may start the task. A task of a batch may be cancelled
     * without an interrupt: then only this one should be given up.
     */
    boolean isCancelled();

    /**
     * Returns the time for which the attempt's claim is certainly held, in milliseconds by this process's monotonic
     * clock. The claim is renewed in the background, so the time grows again. At zero or less the lease has run out,
     * and another executor may start the task.
     */
    Duration leaseRemaining();

    /**
     * Saves a checkpoint in the place of the last one. The next attempt of this task can read it, in whichever executor it
     * runs. A dead task keeps it for a retry by an operator; a success deletes it. Returns when the store has it, which takes
     * a round trip. Every attempt that ends without success after that, also because its process stops, runs again from it.
     *
     * @param value bytes, which are kept as they are; anything else becomes JSON
     * @throws CheckpointException if it is longer than the setting {@code max-checkpoint-bytes} allows, if the store cannot
     *     be reached, or if another run of the task has begun. Then the handler should end
     */
    default void checkpoint(Object value) {
        throw new UnsupportedOperationException("This context keeps no checkpoints");
    }

    /**
     * Saves a checkpoint like {@link #checkpoint(Object)} without waiting. One save is under way at a time. Of those
     * that wait behind it only the newest is sent, and the others end with it.
     *
     * @return fails with a {@link CheckpointException} if it was not saved
     */
    default CompletableFuture<Void> checkpointAsync(Object value) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("This context keeps no checkpoints"));
    }

    /**
     * Returns the last checkpoint of the task: of this attempt, or of one before; empty if there is none. The first call in an
     * attempt takes a round trip to the store.
     *
     * @param type what it is read as: {@code byte[]} as it is, any other class from JSON
     * @throws CheckpointException if the store cannot be reached, or another run of the task has begun
     * @throws UnreadableCheckpointException if the checkpoint is not JSON that fits the type. If the handler does not catch it,
     *     the attempt has failed
     */
    default <T> Optional<T> checkpoint(Class<T> type) {
        return Optional.empty();
    }

    /**
     * Gives the result of the task, which is kept if the attempt succeeds: with what is kept of the success, for as long, and
     * only if the setting {@code max-result-bytes} of the queue allows its size. Then it is shown with the task. The last call
     * counts. What a handler method of Spring returns is its result.
     *
     * @param value becomes JSON
     */
    default void result(Object value) {}

    /** Notes how far the work is; see {@link #progress(long, long, String)}. */
    default void progress(long done, long total) {
        progress(done, total, "");
    }

    /**
     * Notes how far the work is, for people who look at the task. Returns at once and never fails. It is written once a second
     * at most, so an earlier one may never be seen, and the last one of a task that fails may be lost.
     *
     * @param total 0 if it is not known
     * @param text what is being done; the first 500 characters are kept
     */
    default void progress(long done, long total, String text) {}

    /**
     * Adds a line to the log of the task, for people who look at it. The last 20 lines are kept with the task, unless the
     * setting {@code max-log-lines} says otherwise. Returns at once and never fails; lines may be lost.
     *
     * @param line the first 500 characters are kept, on one line. Nothing else is added, so payloads are in it only if it names
     *     them
     */
    default void log(String line) {}

    /**
     * Fans out: publishes the tasks of a stream as subtasks of this one, to any queues of the settings. Returns when their brokers
     * have acknowledged all of them. They run like any other tasks, beside this one and behind it. Subtasks without a key are
     * spread over the partitions of their queue.
     *
     * <p>The stream is read once, a little ahead of the brokers, so it may be as long as it likes. If this run ends before the
     * stream does, the next run goes on with it: it publishes what is missing. So the stream has to be repeatable: the subtask of
     * a number is the same in each run.
     *
     * <p>A task that was published as a subtask may fan out too. It has then ended, for the fan-out around it, when its own
     * subtasks have.
     *
     * @param subtasks is closed
     * @param plan what follows, and when failures keep others from running
     * @throws FatalTaskException if a subtask or the final task can never be published, the stream has more subtasks than the
     *     setting {@code tandem.fan-outs.max-subtasks} allows, is nested too deeply, is not repeatable, or was given up before
     * @throws FanOutException if a broker or the store does not answer, or too many fan-outs are open
     * @throws IllegalStateException if this attempt has fanned out under the same name already
     * @throws UnsupportedOperationException if the program cannot publish
     * @throws InterruptedException if the attempt was interrupted
     */
    default FanOutRef fanOut(Stream<? extends TaskRequest<?>> subtasks, FanOut plan) throws InterruptedException {
        throw new UnsupportedOperationException("This context cannot fan out");
    }

    /** Returns how the fan-out ended whose final task this is; empty if this is no final task. */
    default Optional<FanOutResult> fanOutResult() {
        return Optional.empty();
    }

    /**
     * Asks that the task run again after a delay if the handler succeeds now, without having spent this attempt. A handler that
     * throws fails all the same. The last call counts. See {@link Result.Snooze}.
     *
     * @throws IllegalArgumentException if the delay is negative
     */
    default void snooze(Duration delay) {
        throw new UnsupportedOperationException("This context cannot snooze a task");
    }
}
