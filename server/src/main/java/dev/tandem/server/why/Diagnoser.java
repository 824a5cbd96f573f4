package dev.tandem.server.why;

import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.task.TaskState;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.HeldPartition;
import dev.tandem.task.store.HeldTask;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides from facts why a key or a task does not move. Pure. */
public final class Diagnoser {

    private final Facts facts;

    private Diagnoser(Facts facts) {
        this.facts = facts;
    }

    /** Returns the one cause that matters most. */
    public static Finding diagnose(Facts facts) {
        return new Diagnoser(facts).find();
    }

    private Finding find() {
        TaskFacts task = facts.task();
        KeyInfo blocked = facts.blocked();
        if (task != null) {
            switch (task.state()) {
                case SUCCEEDED, EXPIRED, CANCELLED -> {
                    return of(new Diagnosis.Ended(task), task, 0);
                }
                case DEAD -> {
                    return task.halts() && blocked != null
                            ? of(blocked(blocked), task, blocked.parked())
                            : of(new Diagnosis.Dead(task), task, 0);
                }
                case SCHEDULED, RETRY, ACTIVE -> {
                    return of(stored(task), task, behind(blocked, task));
                }
                case PARKED, DELIVERED -> {}
            }
        }
        if (blocked != null) {
            return of(blocked(blocked), facts.head(), behind(blocked, facts.head()));
        }
        if (!facts.held().tasks().isEmpty()) {
            return held(facts.held().tasks().get(0));
        }
        return of(nothing(), null, 0);
    }

    /** Counts what is parked, and what waits in memory behind the task, which is itself there if only the broker has it. */
    private long behind(@Nullable KeyInfo blocked, @Nullable TaskFacts first) {
        long parked = blocked == null ? 0 : blocked.parked();
        if (facts.key() == null || facts.byTask() && blocked == null) {
            return parked;
        }
        boolean countsFirst = first == null
                || facts.held().tasks().stream()
                        .anyMatch(each -> isAt(each, first) && first.state() == TaskState.ACTIVE);
        return parked + Math.max(0, inMemory() - (countsFirst ? 1 : 0));
    }

    private long inMemory() {
        return facts.held().partitions().stream()
                .mapToLong(HeldPartition::matching)
                .sum();
    }

    private static boolean isAt(HeldTask held, TaskFacts task) {
        return held.place().partition().name().equals(task.ref().partition())
                && held.place().position().text().equals(task.ref().position());
    }

    private Finding of(Diagnosis cause, @Nullable TaskFacts task, long behind) {
        return new Finding(cause, task, behind, expected(cause, task, behind));
    }

    /** Predicts the end of the last task behind the first one, if it is known how long attempts of that take. */
    private @Nullable Instant expected(Diagnosis cause, @Nullable TaskFacts task, long behind) {
        if (task == null || task.meanMillis() < 0 || task.at() == null) {
            return null;
        }
        boolean waitsForTime = cause instanceof Diagnosis.Retry || cause instanceof Diagnosis.NotDue;
        if (!waitsForTime && !(cause instanceof Diagnosis.Running)) {
            return null;
        }
        Instant end = task.at().plusMillis((long) (task.meanMillis() * (behind + 1)));
        return end.isBefore(facts.now()) ? null : end;
    }

    private Diagnosis blocked(KeyInfo key) {
        TaskFacts head = facts.head();
        return switch (key.why()) {
            case "halted" ->
                new Diagnosis.Halted(
                        head == null ? key.head().toString() : head.name(), head == null ? null : head.error());
            case "foreign" -> new Diagnosis.OtherOwner(key.head());
            case "redelivery" -> new Diagnosis.Redelivery(key.head());
            default ->
                head == null
                        ? new Diagnosis.Running(key.head().toString(), key.since(), "an executor", 1)
                        : stored(head);
        };
    }

    /** Judges a task that Redis has, or of which it knows the claim. */
    private Diagnosis stored(TaskFacts task) {
        if (task.state() == TaskState.ACTIVE) {
            return claimed(task);
        }
        Instant at = task.at();
        boolean isDue = at == null || !at.isAfter(facts.now());
        if (isDue || task.putAside()) {
            Diagnosis paused = paused(task.type(), task.key());
            if (paused != null) {
                return paused;
            }
        }
        if (at == null || isDue) {
            return due(task.name()).orElse(new Diagnosis.Due(task));
        }
        if (task.waitsFor() != null) {
            return reason(task, task.name(), task.waitsFor(), at);
        }
        if (task.unhandled()) {
            return new Diagnosis.NoHandler(task);
        }
        return task.attempts() > 0 ? new Diagnosis.Retry(task, at) : new Diagnosis.NotDue(task, at);
    }

    private Diagnosis claimed(TaskFacts task) {
        String executor = task.executor() == null ? "an executor" : task.executor();
        if (task.executor() != null && !facts.live().contains(task.executor())) {
            return new Diagnosis.ExecutorDied(executor, task.name(), facts.lease());
        }
        HeldTask held = facts.held().tasks().stream()
                .filter(each -> isAt(each, task))
                .findFirst()
                .orElse(null);
        if (held != null && !held.running()) {
            if (task.suspect()) {
                return new Diagnosis.Quarantine(task);
            }
            String waitsFor = held.waitsFor();
            if (waitsFor != null && !isTurn(waitsFor)) {
                return reason(task, task.name(), waitsFor, null);
            }
        }
        return new Diagnosis.Running(task.name(), task.at(), executor, Math.max(1, task.attempts()));
    }

    /** Whether the words say that a task waits for nothing but its turn. */
    private static boolean isTurn(String waitsFor) {
        return waitsFor.endsWith(WaitReason.SLOT);
    }

    private static Diagnosis reason(@Nullable TaskFacts task, String name, String waitsFor, @Nullable Instant at) {
        if (waitsFor.startsWith(WaitReason.PERMIT)) {
            return new Diagnosis.Permit(name, waitsFor.substring(WaitReason.PERMIT.length()));
        }
        if (waitsFor.startsWith(WaitReason.TOKEN)) {
            return new Diagnosis.Rate(name, waitsFor.substring(WaitReason.TOKEN.length()), at);
        }
        if (task != null && waitsFor.startsWith(WaitReason.TASK)) {
            return new Diagnosis.Dependency(task, waitsFor.substring(WaitReason.TASK.length()));
        }
        return waitsFor.equals(WaitReason.EARLIER_PARTITION)
                ? new Diagnosis.Moved(name)
                : new Diagnosis.Other(name, waitsFor);
    }

    private @Nullable Diagnosis paused(@Nullable String type, @Nullable String key) {
        if (facts.queuePaused()) {
            return new Diagnosis.Paused("the queue", "");
        }
        if (type != null && facts.paused().types().contains(type)) {
            return new Diagnosis.Paused("the type " + type, " --type " + Wording.shell(type));
        }
        return key != null && facts.paused().keys().contains(key)
                ? new Diagnosis.Paused("its key", " --key " + Wording.shell(key))
                : null;
    }

    /** Judges the first task that an executor has in memory, and of which Redis knows its claim at most. */
    private Finding held(HeldTask first) {
        TaskFacts claimed = facts.claimed();
        long behind = facts.key() == null || facts.byTask() ? 0 : Math.max(0, inMemory() - 1);
        if (claimed != null && claimed.state() == TaskState.ACTIVE) {
            return of(claimed(claimed), claimed, behind);
        }
        String name = name(first);
        String waitsFor = first.waitsFor();
        if (first.running()) {
            return of(
                    new Diagnosis.Running(
                            name, null, first.executor(), first.envelope().attempts() + 1),
                    null,
                    behind);
        }
        Diagnosis paused = paused(first.envelope().task().type(), facts.key());
        if (paused != null) {
            return of(paused, claimed, behind);
        }
        if (waitsFor != null && !isTurn(waitsFor)) {
            return of(reason(claimed, name, waitsFor, null), claimed, behind);
        }
        return of(due(name).orElse(new Diagnosis.Slot(name, first.executor())), claimed, behind);
    }

    private String name(HeldTask task) {
        TaskFacts claimed = facts.claimed();
        String id = task.envelope().task().id();
        return claimed != null && isAt(task, claimed)
                ? claimed.name()
                : id == null
                        ? "@" + task.place().partition().name() + "/"
                                + task.place().position().text()
                        : id;
    }

    /** Says what keeps a task from starting that might start otherwise; empty if nothing is known to. */
    private Optional<Diagnosis> due(String task) {
        HeldPartition partition = ownerOfHome();
        if (partition == null) {
            return withoutAnswer();
        }
        String name = partition.partition();
        if (partition.quietMillis() > 0) {
            return Optional.of(new Diagnosis.Quiet(name, facts.now().plusMillis(partition.quietMillis())));
        }
        if (partition.keysAtBound()) {
            return Optional.of(
                    new Diagnosis.Full(name, "so many keys are blocked that no task of a further one starts"));
        }
        if (partition.withoutRoom()) {
            return Optional.of(new Diagnosis.Full(name, "Redis has no room for more of its tasks"));
        }
        if (!partition.mayStart()) {
            return Optional.of(new Diagnosis.Slot(task, partition.executor()));
        }
        return partition.withheld().isEmpty()
                ? Optional.empty()
                : Optional.of(new Diagnosis.Withheld(partition.withheld()));
    }

    private @Nullable HeldPartition ownerOfHome() {
        Home home = facts.home();
        return facts.held().partitions().stream()
                .filter(each -> home == null || each.partition().equals(home.partition()))
                .findFirst()
                .orElse(null);
    }

    private Optional<Diagnosis> withoutAnswer() {
        Home home = facts.home();
        if (home == null) {
            return Optional.empty();
        }
        if (home.owner() == null) {
            return Optional.of(new Diagnosis.NoOwner(home.partition()));
        }
        return Optional.of(
                home.ownerLives()
                        ? new Diagnosis.OwnerSilent(home.owner(), home.partition())
                        : new Diagnosis.ExecutorDied(home.owner(), null, facts.lease()));
    }

    /** Judges what neither Redis nor an executor knows. */
    private Diagnosis nothing() {
        if (facts.brokerProblem() != null) {
            return new Diagnosis.Unreachable(facts.brokerProblem());
        }
        HeldPartition partition = ownerOfHome();
        Home home = facts.home();
        if (partition == null || home == null) {
            return withoutAnswer()
                    .orElseGet(() ->
                            facts.inBroker() > 0 ? new Diagnosis.InBroker(facts.inBroker()) : new Diagnosis.Idle());
        }
        if (partition.notDurable() > 0) {
            return new Diagnosis.Durability(home.partition());
        }
        long readTo = partition.readTo();
        long target = facts.offset() >= 0 ? facts.offset() + 1 : home.end();
        if (readTo < 0 || target <= readTo || home.end() <= readTo) {
            return new Diagnosis.Idle();
        }
        return new Diagnosis.NotReached(home.partition(), readTo, home.end(), target - readTo, partition.memoryFull());
    }
}
