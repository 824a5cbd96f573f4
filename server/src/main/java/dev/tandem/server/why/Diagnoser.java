package dev.tandem.server.why;

import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Pauses;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.TaskState;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.HeldTask;
import dev.tandem.task.store.PartitionReport;
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
    public static Diagnosis diagnose(Facts facts) {
        return new Diagnoser(facts).find();
    }

    private Diagnosis find() {
        TaskFacts task = facts.task();
        KeyInfo blocked = facts.blocked();
        if (task != null) {
            switch (task.state()) {
                case SUCCEEDED, EXPIRED, CANCELLED -> {
                    return of(new TaskCause.Ended(task), task, 0);
                }
                case DEAD -> {
                    return task.halts() && blocked != null
                            ? of(blocked(blocked), task, blocked.parked())
                            : of(new TaskCause.Dead(task), task, 0);
                }
                case SCHEDULED, RETRY, ACTIVE -> {
                    return stored(task, blocked);
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

    private Diagnosis stored(TaskFacts task, @Nullable KeyInfo blocked) {
        Cause cause = stored(task);
        boolean mayStart = cause instanceof TaskCause.Due || cause instanceof TaskCause.Slot;
        Optional<HeldTask> ahead = facts.held().tasks().stream()
                .filter(each -> mayStart && blocked == null && !isAt(each, task))
                .findFirst();
        return ahead.map(this::held).orElseGet(() -> of(cause, task, behind(blocked, task)));
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
                .mapToLong(PartitionReport::matching)
                .sum();
    }

    private static boolean isAt(HeldTask held, TaskFacts task) {
        return held.place().partition().name().equals(task.ref().partition())
                && held.place().position().text().equals(task.ref().position());
    }

    private Diagnosis of(Cause cause, @Nullable TaskFacts task, long behind) {
        return new Diagnosis(cause, task, behind, expected(cause, task, behind));
    }

    /** Predicts the end of the last task behind the first one, if it is known how long attempts of that take. */
    private @Nullable Instant expected(Cause cause, @Nullable TaskFacts task, long behind) {
        if (task == null || task.meanMillis() < 0 || task.at() == null) {
            return null;
        }
        boolean waitsForTime = cause instanceof TaskCause.Retry || cause instanceof TaskCause.NotDue;
        if (!waitsForTime && !(cause instanceof TaskCause.Running)) {
            return null;
        }
        Instant end = task.at().plusMillis((long) (task.meanMillis() * (behind + 1)));
        return end.isBefore(facts.now()) ? null : end;
    }

    private Cause blocked(KeyInfo key) {
        TaskFacts head = facts.head();
        return switch (key.reason()) {
            case HALTED ->
                new TaskCause.Halted(
                        head == null ? key.head().toString() : head.name(), head == null ? null : head.error());
            case OTHER_OWNER -> new TaskCause.OtherOwner(key.head());
            case REDELIVERY -> new TaskCause.Redelivery(key.head());
            case HEAD ->
                head == null ? new TaskCause.Running(key.head().toString(), key.since(), null, null) : stored(head);
        };
    }

    /** Judges a task that Redis has, or of which it knows the claim. */
    private Cause stored(TaskFacts task) {
        if (task.state() == TaskState.ACTIVE) {
            return claimed(task);
        }
        Instant at = task.at();
        boolean isDue = at == null || !at.isAfter(facts.now());
        Pauses.Pause pause = facts.pauses().ofStored(task.type(), task.key(), at, task.putAside(), facts.now());
        if (pause != null) {
            return new TaskCause.Paused(pause);
        }
        if (at == null && task.state() == TaskState.SCHEDULED) {
            Cause due = due(task.name()).orElse(null);
            return due == null || due instanceof TaskCause.Slot ? new TaskCause.Tenant(task.name()) : due;
        }
        if (at == null || isDue) {
            return due(task.name()).orElse(new TaskCause.Due(task));
        }
        if (task.waitsFor() != null) {
            return reason(task.name(), task.waitsFor(), task.ref(), at);
        }
        if (task.unhandled()) {
            return new TaskCause.NoHandler(task);
        }
        return task.attempts() > 0 ? new TaskCause.Retry(task, at) : new TaskCause.NotDue(task, at);
    }

    private Cause claimed(TaskFacts task) {
        String executor = task.executor();
        if (executor != null && !facts.live().contains(executor)) {
            return new PartitionCause.ExecutorDied(executor, task.name(), facts.lease());
        }
        HeldTask held = facts.held().tasks().stream()
                .filter(each -> isAt(each, task))
                .findFirst()
                .orElse(null);
        if (held != null && !held.running()) {
            if (task.suspect()) {
                return new TaskCause.Quarantine(task);
            }
            WaitReason waitsFor = held.waitsFor();
            if (waitsFor != null && !(waitsFor instanceof WaitReason.Turn)) {
                return reason(task.name(), waitsFor, task.ref(), null);
            }
        }
        return new TaskCause.Running(task.name(), task.at(), executor, task.attempts() == 0 ? null : task.attempts());
    }

    private Cause reason(String name, WaitReason waitsFor, TaskRef ref, @Nullable Instant at) {
        if (waitsFor instanceof WaitReason.Permits permits) {
            return new TaskCause.Permit(
                    name, permits.limits().stream().map(facts.limits()::limit).toList());
        }
        if (waitsFor instanceof WaitReason.Token token) {
            return new TaskCause.Rate(name, facts.limits().rateLimit(token.limit()), at);
        }
        if (waitsFor instanceof WaitReason.OtherTask other) {
            return new TaskCause.Dependency(name, ref, other.task());
        }
        return waitsFor instanceof WaitReason.FormerPartition
                ? new TaskCause.Moved(name)
                : new TaskCause.Other(name, waitsFor.text());
    }

    /** Judges the first task that an executor has in memory, and of which Redis knows its claim at most. */
    private Diagnosis held(HeldTask first) {
        TaskFacts claimed = facts.claimed();
        long behind = facts.key() == null || facts.byTask() ? 0 : Math.max(0, inMemory() - 1);
        if (claimed != null && claimed.state() == TaskState.ACTIVE) {
            return of(claimed(claimed), claimed, behind);
        }
        String name = name(first);
        WaitReason waitsFor = first.waitsFor();
        if (first.running()) {
            return of(
                    new TaskCause.Running(
                            name, null, first.executor(), first.envelope().attempts() + 1),
                    null,
                    behind);
        }
        Pauses.Pause pause = facts.pauses().of(first.envelope().task().type(), facts.key());
        if (pause != null) {
            return of(new TaskCause.Paused(pause), claimed, behind);
        }
        if (waitsFor != null && !(waitsFor instanceof WaitReason.Turn)) {
            return of(reason(name, waitsFor, TaskRef.of(first.place()), null), claimed, behind);
        }
        return of(due(name).orElse(new TaskCause.Slot(name, first.executor(), facts.pulled())), claimed, behind);
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
    private Optional<Cause> due(String task) {
        PartitionReport partition = reportOfHome();
        if (partition == null) {
            return withoutAnswer();
        }
        String name = partition.partition();
        if (partition.quietMillis() > 0) {
            return Optional.of(new PartitionCause.Quiet(name, facts.now().plusMillis(partition.quietMillis())));
        }
        if (partition.keysAtBound()) {
            return Optional.of(new PartitionCause.PartitionFull(name, PartitionCause.Bound.BLOCKED_KEYS));
        }
        if (partition.withoutRoom()) {
            return Optional.of(new PartitionCause.PartitionFull(name, PartitionCause.Bound.ROOM));
        }
        if (!partition.mayStart()) {
            return Optional.of(new TaskCause.Slot(task, partition.executor(), facts.pulled()));
        }
        return partition.withheld().isEmpty()
                ? Optional.empty()
                : Optional.of(new PartitionCause.Withheld(partition.withheld()));
    }

    private @Nullable PartitionReport reportOfHome() {
        PartitionOwner home = facts.home();
        return facts.held().partitions().stream()
                .filter(each -> home == null ? each.hasAny() : each.partition().equals(home.partition()))
                .findFirst()
                .orElse(null);
    }

    private Optional<Cause> withoutAnswer() {
        PartitionOwner home = facts.home();
        if (home == null) {
            return Optional.empty();
        }
        if (home.owner() == null) {
            return Optional.of(new PartitionCause.NoOwner(home.partition()));
        }
        return Optional.of(
                home.ownerLives()
                        ? new PartitionCause.OwnerSilent(home.owner(), home.partition())
                        : new PartitionCause.ExecutorDied(home.owner(), null, facts.lease()));
    }

    /** A broker need not say which tasks it has, or has delivered to a process whose memory is full. */
    private Cause inBroker() {
        boolean memoryFull = facts.held().partitions().stream().anyMatch(PartitionReport::memoryFull);
        return memoryFull || facts.inBroker() > 0
                ? new PartitionCause.InBroker(facts.inBroker(), memoryFull)
                : new PartitionCause.Idle();
    }

    /** Judges what neither Redis nor an executor knows. */
    private Cause nothing() {
        if (facts.brokerProblem() != null) {
            return new PartitionCause.NoBroker(facts.brokerProblem());
        }
        PartitionReport partition = reportOfHome();
        PartitionOwner home = facts.home();
        if (partition != null && partition.notDurable() > 0) {
            return new PartitionCause.Durability(partition.partition());
        }
        if (partition == null || home == null) {
            return withoutAnswer().orElseGet(this::inBroker);
        }
        long readTo = partition.readTo();
        long target = facts.offset() >= 0 ? facts.offset() + 1 : home.end();
        if (readTo < 0 || target <= readTo || home.end() <= readTo) {
            return new PartitionCause.Idle();
        }
        return new PartitionCause.NotReached(
                home.partition(), readTo, home.end(), target - readTo, partition.memoryFull());
    }
}
