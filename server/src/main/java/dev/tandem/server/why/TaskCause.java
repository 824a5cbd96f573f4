package dev.tandem.server.why;

import dev.tandem.server.inspect.Pauses.Pause;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.words.Sentence;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A cause that lies with one task: the one that was asked about, or the one that its key waits for. */
public sealed interface TaskCause extends Cause {

    /** Its time has not come. */
    record NotDue(TaskFacts task, Instant at) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return words.isAbout(task.name())
                    ? Sentence.of("cause.not-due", words.key(), words.time(at))
                    : Sentence.of("cause.not-due-ahead", words.key(), task.name(), words.time(at));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("run-now", words.reschedule(task.ref()));
        }
    }

    /** The task is due, and nothing is in its way. */
    record Due(TaskFacts task) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.due", words.key(), task.name());
        }

        @Override
        public Sentence remedy(Wording words) {
            return BY_ITSELF;
        }
    }

    /** The task waits in the line of its tenant: others come first. */
    record Tenant(String task) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.tenant", words.key(), words.forTask(task));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.tenant-remedy");
        }
    }

    /**
     * All slots of its queue are taken in its executor.
     *
     * @param pulled whether a slot is free when a worker asks for a task
     */
    record Slot(String task, String executor, boolean pulled) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return pulled
                    ? Sentence.of("cause.slot-of-worker", words.key(), task)
                    : Sentence.of("cause.slot", words.key(), executor, words.forTask(task));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of(pulled ? "cause.slot-of-worker-remedy" : "cause.slot-remedy");
        }
    }

    /** A limit over all executors is reached. */
    record Permit(String task, List<LimitInForce> limits) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of(
                    "cause.permit",
                    words.key(),
                    Sentence.and(limits.stream().map(LimitInForce::says)),
                    words.forTask(task));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of(
                    "cause.permit-remedy",
                    "./tandem limits"
                            + (limits.size() == 1 ? " " + limits.get(0).name() : ""));
        }
    }

    /** Its rate is used up. */
    record Rate(String task, LimitInForce limit, @Nullable Instant at) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of(
                    "cause.rate",
                    words.key(),
                    limit.says(),
                    words.forTask(task),
                    at == null ? Sentence.NOTHING : Sentence.of("cause.rate-at", words.time(at)));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.rate-remedy", "./tandem limits " + limit.name());
        }
    }

    /** Another task must succeed first. */
    record Dependency(String task, TaskRef ref, String on) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return words.isAbout(task)
                    ? Sentence.of("cause.dependency", words.key(), on)
                    : Sentence.of("cause.dependency-ahead", words.key(), task, on);
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of(
                    "cause.dependency-remedy", "./tandem depends " + Wording.shell(words.queue()) + " " + ref);
        }
    }

    /** Operators have paused it. */
    record Paused(Pause what) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return switch (what.kind()) {
                case QUEUE -> Sentence.of("cause.paused-queue", words.key());
                case TYPE -> Sentence.of("cause.paused-type", words.key(), what.name());
                case KEY -> Sentence.of("cause.paused-key", words.key());
            };
        }

        @Override
        public Sentence remedy(Wording words) {
            String option = switch (what.kind()) {
                case QUEUE -> "";
                case TYPE -> " --type " + Wording.shell(what.name());
                case KEY -> " --key " + Wording.shell(what.name());
            };
            return Sentence.of("cause.paused-remedy", "./tandem resume " + Wording.shell(words.queue()) + option);
        }
    }

    /**
     * Its handler runs.
     *
     * @param since null if that is not known
     * @param executor null if that is not known
     * @param attempt null if that is not known
     */
    record Running(
            String task,
            @Nullable Instant since,
            @Nullable String executor,
            @Nullable Integer attempt) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of(
                    "cause.running",
                    words.key(),
                    attempt == null ? task : Sentence.of("cause.running-attempt", attempt, task),
                    executor == null ? Sentence.of("cause.running-somewhere") : executor,
                    since == null ? Sentence.NOTHING : Sentence.of("cause.running-since", words.time(since)));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.running-remedy", words.cancel(Wording.shell(task)));
        }
    }

    /** The task failed, and waits for its next attempt. */
    record Retry(TaskFacts task, Instant at) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of(
                    "cause.retry",
                    words.key(),
                    task.attempts() + 1,
                    task.name(),
                    words.time(at),
                    Wording.error(task.error()));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of(
                    "run-now", task.key() == null ? words.reschedule(task.ref()) : words.keyCommand("retry"));
        }
    }

    /** The task is dead, and its key waits for a decision. */
    record Halted(String task, @Nullable String error) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.halted", words.key(), task, Wording.error(error));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.halted-remedy", words.keyCommand("retry"));
        }
    }

    /** The task is dead, and no key waits for it. */
    record Dead(TaskFacts task) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.dead", task.name(), Wording.error(task.error()));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of(
                    "cause.dead-remedy", "./tandem dead retry " + Wording.shell(words.queue()) + " " + task.ref());
        }
    }

    /** The task has ended. */
    record Ended(TaskFacts task) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            Sentence state = Sentence.of("state." + task.state().name().toLowerCase(Locale.ROOT));
            return task.at() == null
                    ? Sentence.of("cause.ended", task.name(), state)
                    : Sentence.of("cause.ended-at", task.name(), state, words.time(task.at()));
        }
    }

    /** Its last two executors died, so it runs alone. */
    record Quarantine(TaskFacts task) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.quarantine", words.waitsFor(task.name()));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of(
                    "cause.quarantine-remedy", words.cancel(task.ref().toString()));
        }
    }

    /** Its head runs in another executor than that of its partition. */
    record OtherOwner(TaskRef head) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.other-owner", words.key(), head);
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.other-owner-remedy");
        }
    }

    /** The broker must deliver its head again. */
    record Redelivery(TaskRef head) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.redelivery", words.key(), head);
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.redelivery-remedy");
        }
    }

    /** Its executor has no handler for its type. */
    record NoHandler(TaskFacts task) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of(
                    "cause.no-handler",
                    words.waitsFor(task.name()),
                    String.valueOf(task.type()),
                    task.at() == null
                            ? Sentence.NOTHING
                            : Sentence.of("cause.no-handler-again", words.time(task.at())));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.no-handler-remedy", "./tandem executors");
        }
    }

    /** Its key moved to another partition. */
    record Moved(String task) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.moved", words.key(), task);
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.moved-remedy", "./tandem partitions " + words.queue());
        }
    }

    /** The task waits for something else. */
    record Other(String task, String waitsFor) implements TaskCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.other", words.key(), Sentence.quote(waitsFor), words.forTask(task));
        }

        @Override
        public Sentence remedy(Wording words) {
            return BY_ITSELF;
        }
    }
}
