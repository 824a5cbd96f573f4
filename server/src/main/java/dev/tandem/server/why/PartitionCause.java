package dev.tandem.server.why;

import dev.tandem.server.words.Sentence;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A cause that lies with the partition of a key or a task, with its owner, its broker or its store. */
public sealed interface PartitionCause extends Cause {

    /** Its owner has not come to it in the broker. @param distance how many records come first, at most */
    record NotReached(String partition, long readTo, long end, long distance, boolean memoryFull)
            implements PartitionCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of(
                    "cause.not-reached",
                    words.name(),
                    distance,
                    partition,
                    readTo,
                    end,
                    memoryFull ? Sentence.of("cause.not-reached-full") : Sentence.NOTHING);
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.in-broker-remedy", "./tandem queues " + words.queue());
        }
    }

    /** The task may be among the messages of a broker that names none. @param memoryFull whether more come when tasks have ended */
    record InBroker(long messages, boolean memoryFull) implements PartitionCause {
        @Override
        public Sentence says(Wording words) {
            Sentence waiting = Sentence.of("cause.in-broker-waiting", messages);
            Sentence taken = Sentence.of("cause.in-broker-taken");
            Sentence either =
                    messages == 0 ? taken : memoryFull ? Sentence.of("cause.in-broker-both", waiting, taken) : waiting;
            return Sentence.of("cause.in-broker", words.name(), either);
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.in-broker-remedy", "./tandem queues " + words.queue());
        }
    }

    /** The executor that has it was not seen lately. */
    record ExecutorDied(String executor, @Nullable String task, Duration lease) implements PartitionCause {
        @Override
        public Sentence says(Wording words) {
            return task == null
                    ? Sentence.of("cause.executor-died", words.key(), executor)
                    : Sentence.of("cause.executor-died-running", words.key(), executor, task);
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.executor-died-remedy", lease.toSeconds());
        }
    }

    /** The owner did not answer within a second. */
    record OwnerSilent(String executor, String partition) implements PartitionCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.owner-silent", words.name(), executor, partition);
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.owner-silent-remedy");
        }
    }

    /** Nobody owns its partition. */
    record NoOwner(String partition) implements PartitionCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.no-owner", words.name(), partition, words.queue());
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.no-owner-remedy");
        }
    }

    /** The bounds of a partition that keep its tasks from starting. */
    enum Bound {
        BLOCKED_KEYS("cause.partition-full-blocked-keys"),
        ROOM("cause.partition-full-room");

        private final String sentence;

        Bound(String sentence) {
            this.sentence = sentence;
        }
    }

    /** There is no room. @param reached the bound that is reached */
    record PartitionFull(String partition, Bound reached) implements PartitionCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of(reached.sentence, words.name(), partition);
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.partition-full-remedy");
        }
    }

    /** Redis was restarted, and may have forgotten claims. */
    record Quiet(String partition, Instant until) implements PartitionCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.quiet", words.name(), words.time(until), partition);
        }

        @Override
        public Sentence remedy(Wording words) {
            return BY_ITSELF;
        }
    }

    /** Redis has it, but not yet provably for good. */
    record Durability(String partition) implements PartitionCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.durability", words.name());
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.durability-remedy", "./tandem queues " + words.queue());
        }
    }

    /** Its executor starts less than it could. */
    record Withheld(String why) implements PartitionCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.withheld", words.name(), Sentence.quote(why));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("shows-it", "./tandem queues " + words.queue());
        }
    }

    /** The broker cannot be reached. */
    record NoBroker(String problem) implements PartitionCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of("cause.no-broker", words.name(), Sentence.quote(problem));
        }

        @Override
        public Sentence remedy(Wording words) {
            return Sentence.of("cause.no-broker-remedy");
        }
    }

    /** Nothing is known of it, and nothing waits. */
    record Idle() implements PartitionCause {
        @Override
        public Sentence says(Wording words) {
            return Sentence.of(words.byTask() ? "cause.idle-task" : "cause.idle", words.name());
        }

        /** Delayed tasks of an open key are not found without a search. */
        @Override
        public Sentence remedy(Wording words) {
            return words.byTask()
                    ? Sentence.NOTHING
                    : Sentence.of(
                            "cause.idle-remedy",
                            "./tandem tasks " + Wording.shell(words.queue()) + " --key " + Wording.shell(words.name()));
        }
    }
}
