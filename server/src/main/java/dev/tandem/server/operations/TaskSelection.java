package dev.tandem.server.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.task.Envelope;
import dev.tandem.task.ErrorFingerprint;
import dev.tandem.task.TaskState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that an operation takes. All that is given must fit; null means any. Times are as in {@link OperationTime}; each
 * range includes its beginning and not its end.
 *
 * @param type the type as it is shown
 * @param orNoType whether tasks that name no type have this one, because the queue's handler has it
 * @param id the id that the publisher gave
 * @param error a part of the last error
 * @param halting whether a deletion takes dead tasks that halt their keys
 * @param fingerprint that of the type and the last error, see {@link ErrorFingerprint}
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public record TaskSelection(
        List<TaskState> states,
        @Nullable String partition,
        @Nullable String key,
        @Nullable String type,
        boolean orNoType,
        @Nullable String id,
        @Nullable String error,
        @Nullable String dueAfter,
        @Nullable String dueBefore,
        @Nullable String diedAfter,
        @Nullable String diedBefore,
        @Nullable String publishedAfter,
        @Nullable String publishedBefore,
        boolean halting,
        @Nullable String fingerprint) {

    /** A range of times, in epoch milliseconds. @param isGiven whether it leaves anything out */
    record Range(long from, long to, boolean isGiven) {
        static Range of(String name, @Nullable String after, @Nullable String before, long began) {
            return new Range(
                    OperationTime.millis(name + "-after", after, began, Long.MIN_VALUE),
                    OperationTime.millis(name + "-before", before, began, Long.MAX_VALUE),
                    after != null || before != null);
        }

        /** @param millis null if the task has no such time */
        boolean includes(@Nullable Long millis) {
            return !isGiven || millis != null && millis >= from && millis < to;
        }
    }

    /** A selection whose times are known. */
    public final class Chooser {

        private final long began;
        private final Range due;
        private final Range died;
        private final Range published;

        private Chooser(long began) {
            this.began = began;
            due = Range.of("due", dueAfter, dueBefore, began);
            died = Range.of("died", diedAfter, diedBefore, began);
            published = Range.of("published", publishedAfter, publishedBefore, began);
        }

        /**
         * Returns whether a task is chosen. One that was sent after the operation began is not, unless it is dead: of dead tasks
         * only those are read that died before, by Redis's clock.
         */
        public boolean chooses(TaskInfo task) {
            Envelope envelope = task.envelope();
            return envelope != null
                    && states.contains(task.state())
                    && (partition == null || partition.equals(task.ref().partition()))
                    && (key == null || key.equals(task.key()))
                    && choosesType(envelope.task().type())
                    && (id == null || id.equals(envelope.task().id()))
                    && (error == null
                            || envelope.error() != null && envelope.error().contains(error))
                    && choosesTimes(task, envelope)
                    && (fingerprint == null || fingerprint.equals(ErrorFingerprint.of(envelope)));
        }

        private boolean choosesType(@Nullable String its) {
            return type == null || (its == null ? orNoType : type.equals(its));
        }

        private boolean choosesTimes(TaskInfo task, Envelope envelope) {
            Long at = task.at() == null ? null : task.at().toEpochMilli();
            boolean dead = task.state() == TaskState.DEAD;
            long sent = envelope.task().publishedAt();
            return (dead || sent <= began)
                    && due.includes(dead || task.state() == TaskState.ACTIVE ? null : at)
                    && died.includes(dead ? at : null)
                    && published.includes(sent == 0 ? null : sent);
        }
    }

    /**
     * Returns what chooses tasks.
     *
     * @param beganMillis when the operation began
     * @throws IllegalArgumentException if a time cannot be read; the message says what to write
     */
    public Chooser chooser(long beganMillis) {
        return new Chooser(beganMillis);
    }
}
