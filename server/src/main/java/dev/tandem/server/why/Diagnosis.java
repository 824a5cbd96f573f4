package dev.tandem.server.why;

import dev.tandem.server.inspect.TaskRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A cause for which a key or a task does not move, and the only place that puts it into words. */
public sealed interface Diagnosis {

    /** What is to be done where nothing is. */
    String BY_ITSELF = "It goes on by itself.";

    /**
     * A cause in words.
     *
     * @param cause its name, which programs rely on
     * @param says what is so, without a full stop
     * @param remedy what to do; empty if there is nothing
     */
    record Told(String cause, String says, String remedy) {}

    /** Puts it into words. */
    Told told(Wording words);

    /** Its owner has not come to it in the broker. @param distance how many records come first, at most */
    record NotReached(String partition, long readTo, long end, long distance, boolean memoryFull) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "not-reached",
                    words.name()
                            + " is not in Redis nor in the memory of its owner: if it has tasks, they are in the broker, among the next "
                            + distance + " records of partition " + partition
                            + ", which is read to offset " + readTo + " of " + end
                            + (memoryFull ? ", and on when tasks that its owner has in memory have ended" : ""),
                    "Nothing to do while `./tandem queues " + words.queue()
                            + "` shows that LAG falls; else add executors or slots.");
        }
    }

    /** It may be among the messages of a broker that names none. */
    record InBroker(long messages) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "in-broker",
                    words.name()
                            + " is not in Redis nor in the memory of an executor that answered: it may be among the "
                            + messages + " messages that wait in the broker",
                    "Nothing to do while `./tandem queues " + words.queue()
                            + "` shows that LAG falls; else add executors or slots.");
        }
    }

    /** Its time has not come. */
    record NotDue(TaskFacts task, Instant at) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "not-due",
                    words.key() + " waits for " + task.name() + ", which is due at " + words.time(at),
                    "To run it now: ./tandem tasks reschedule --now " + Wording.shell(words.queue()) + " "
                            + task.ref());
        }
    }

    /** It is due, and nothing is in its way. */
    record Due(TaskFacts task) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "due",
                    words.key() + " goes on with " + task.name() + " in a moment: nothing is in its way",
                    BY_ITSELF);
        }
    }

    /** All slots of its queue are taken in its executor. */
    record Slot(String task, String executor) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "slot",
                    words.key() + " waits for a free slot in " + executor + ", for " + task,
                    "Raise concurrency of the queue, or add executors.");
        }
    }

    /** A limit over all executors is reached. */
    record Permit(String task, String limit) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "permit",
                    words.key() + " waits for a permit of " + limit + ", for " + task,
                    // It may wait for several, and the command takes one.
                    "`./tandem limits" + (limit.contains(" ") ? "" : " " + limit) + "` shows who has them.");
        }
    }

    /** Its rate is used up. */
    record Rate(String task, String limit, @Nullable Instant at) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "rate",
                    words.key() + " waits for a token of " + limit + ", for " + task
                            + (at == null ? "" : ", at " + words.time(at)),
                    "`./tandem limits " + limit + "` shows the rate.");
        }
    }

    /** Another task must succeed first. */
    record Dependency(TaskFacts task, String on) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "dependency",
                    words.key() + " waits for " + task.name() + ", which waits for the task " + on,
                    "`./tandem depends " + Wording.shell(words.queue()) + " " + task.ref() + "` shows it.");
        }
    }

    /** Operators have paused it. @param what the queue, type or key */
    record Paused(String what, String option) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "paused",
                    words.key() + " waits because " + what + " is paused",
                    "To let it go on: ./tandem resume " + Wording.shell(words.queue()) + option);
        }
    }

    /** Its handler runs. */
    record Running(String task, @Nullable Instant since, String executor, int attempt) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "running",
                    words.key() + " waits for attempt " + attempt + " of " + task + ", which runs in " + executor
                            + (since == null ? "" : " since " + words.time(since)),
                    "To end it: ./tandem tasks cancel " + Wording.shell(words.queue()) + " " + Wording.shell(task));
        }
    }

    /** It failed, and waits for its next attempt. */
    record Retry(TaskFacts task, Instant at) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "retry",
                    words.key() + " waits for attempt " + (task.attempts() + 1) + " of " + task.name() + " at "
                            + words.time(at) + (task.error() == null ? "" : " (" + Wording.brief(task.error()) + ")"),
                    task.key() == null
                            ? "To run it now: ./tandem tasks reschedule --now " + Wording.shell(words.queue()) + " "
                                    + task.ref()
                            : "To run it now: " + words.keyCommand("retry"));
        }
    }

    /** It is dead, and its key waits for a decision. */
    record Halted(String task, @Nullable String error) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "halted",
                    words.key() + " is halted: " + task + " is dead"
                            + (error == null ? "" : " (" + Wording.brief(error) + ")"),
                    "Decide: " + words.keyCommand("retry")
                            + " runs it again, skip leaves it dead, drain makes all behind it dead.");
        }
    }

    /** It is dead, and no key waits for it. */
    record Dead(TaskFacts task) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "dead",
                    task.name() + " is dead" + (task.error() == null ? "" : " (" + Wording.brief(task.error()) + ")"),
                    "To run it again: ./tandem dead retry " + Wording.shell(words.queue()) + " " + task.ref());
        }
    }

    /** It has ended. */
    record Ended(TaskFacts task) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "ended",
                    task.name() + " has ended: " + task.state().name().toLowerCase(Locale.ROOT)
                            + (task.at() == null ? "" : " at " + words.time(task.at())),
                    "");
        }
    }

    /** Its last two executors died, so it runs alone. */
    record Quarantine(TaskFacts task) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "quarantine",
                    words.key() + " waits for " + task.name()
                            + ", during whose last two attempts executors died: it waits until it can run alone",
                    "If it kills executors, cancel it: ./tandem tasks cancel " + Wording.shell(words.queue()) + " "
                            + task.ref());
        }
    }

    /** The executor that has it was not seen lately. */
    record ExecutorDied(String executor, @Nullable String task, Duration lease) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "executor-died",
                    words.key() + " waits because " + executor
                            + (task == null ? ", which owns its partition," : ", which ran " + task + ",")
                            + " has died or cannot reach Redis",
                    "Another executor goes on within " + lease.toSeconds() + " s or so, if there is one.");
        }
    }

    /** The owner did not answer within a second. */
    record OwnerSilent(String executor, String partition) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "owner-silent",
                    words.name() + " is not in Redis, and " + executor + ", which owns its partition " + partition
                            + ", did not answer within a second",
                    "Look at its health and its log: it hangs, is overloaded, or is of an earlier version.");
        }
    }

    /** Its head runs in another executor than that of its partition. */
    record OtherOwner(TaskRef head) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "other-owner",
                    words.key() + " waits for the task " + head
                            + ", which still runs in an executor that has lost the partition",
                    "It passes when that run ends, or with its lease.");
        }
    }

    /** The broker must deliver its head again. */
    record Redelivery(TaskRef head) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "redelivery",
                    words.key() + " waits for the task " + head + ", which the broker must deliver again",
                    "It passes by itself, within two leases or so.");
        }
    }

    /** Nobody owns its partition. */
    record NoOwner(String partition) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "no-owner",
                    words.name() + " waits because nobody owns partition " + partition + " of " + words.queue(),
                    "Start an executor that runs the queue, or look at the health of those that should.");
        }
    }

    /** Its executor has no handler for its type. */
    record NoHandler(TaskFacts task) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "no-handler",
                    words.key() + " waits for " + task.name() + ": its executor has no handler for the type "
                            + task.type() + (task.at() == null ? "" : ", and tries again at " + words.time(task.at())),
                    "Deploy the handler, or see which executors lack it: ./tandem executors");
        }
    }

    /** There is no room. @param why what is full, in words */
    record Full(String partition, String why) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "partition-full",
                    words.name() + " waits because partition " + partition + " is full: " + why,
                    "See docs/operations.md, A key or a partition is full.");
        }
    }

    /** Redis was restarted, and may have forgotten claims. */
    record Quiet(String partition, Instant until) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "quiet",
                    words.name() + " waits until " + words.time(until)
                            + ": Redis was restarted, and may have forgotten who runs tasks of partition " + partition,
                    BY_ITSELF);
        }
    }

    /** Redis has it, but not yet provably for good. */
    record Durability(String partition) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "durability",
                    words.name() + " was handed over to Redis, and its owner waits until that is durable",
                    "It takes seconds. If it lasts, look at the replicas and the disk of Redis: ./tandem queues "
                            + words.queue());
        }
    }

    /** Its executor starts less than it could. */
    record Withheld(String why) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "withheld",
                    words.name() + " waits because " + why,
                    "./tandem queues " + words.queue() + " shows it.");
        }
    }

    /** Its key moved to another partition. */
    record Moved(String task) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "moved",
                    words.key() + " waits for its earlier partition, for " + task,
                    "./tandem partitions " + words.queue() + " shows how far that is.");
        }
    }

    /** It waits for something else. */
    record Other(String task, String waitsFor) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told("other", words.key() + " waits for " + waitsFor + ", for " + task, BY_ITSELF);
        }
    }

    /** The broker cannot be reached. */
    record Unreachable(String problem) implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "no-broker",
                    words.name() + " is not in Redis, and the broker cannot be reached: " + problem,
                    "Look at the broker and at the settings.");
        }
    }

    /** Nothing is known of it, and nothing waits. */
    record Idle() implements Diagnosis {
        @Override
        public Told told(Wording words) {
            return new Told(
                    "idle",
                    words.byTask()
                            ? words.name()
                                    + " is nowhere: it has ended longer ago than history is kept, or was never published here"
                            : words.name()
                                    + " has nothing to do: no task of it is in Redis, in an executor or in the broker",
                    "");
        }
    }
}
