package dev.tandem.verify.check;

import dev.tandem.verify.load.FeatureTasks;
import dev.tandem.verify.load.RelatedTasks;
import dev.tandem.verify.load.ReplacedTasks;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The history of a trial, grouped by tasks, runs, processes, servers and faults. */
final class History {

    /**
     * One injection of a fault.
     *
     * @param ended {@link Period#NEVER} if the end was not recorded
     * @param targets the affected processes; empty if the fault affects a server
     * @param hits what the fault itself counted; -1 if its effect shows in other events
     */
    record FaultRound(String fault, int number, long began, long ended, List<String> targets, long hits) {}

    /** A time in which a server did not answer. */
    record Outage(Server server, long from, long to) {}

    private static final long LAST_NANOS = 20_000_000_000L;

    final Map<String, TaskHistory> tasks = new LinkedHashMap<>();
    /** The subtasks of fan-outs, of which no publishing is recorded, and of which copies may run at once. */
    final Map<String, TaskHistory> subtasks = new HashMap<>();

    final List<Event.FanOutResulted> fanOutResults = new ArrayList<>();
    /** The tasks of instants of the schedule, of which no publishing is recorded. */
    final Map<String, TaskHistory> fired = new HashMap<>();

    final List<Event.CancelConfirmed> cancels = new ArrayList<>();
    final List<Event.CheckpointRead> checkpointReads = new ArrayList<>();
    final List<Event.CheckpointSaved> checkpointsSaved = new ArrayList<>();
    /** Events of tasks, in the order in which they came. */
    final List<Event.TaskEventCame> taskEvents = new ArrayList<>();

    Event.@Nullable TaskEventsRead taskEventsRead;
    boolean droppedTaskEvents;
    /** When the schedule was stopped; {@link Period#NEVER} if there was none. */
    long scheduleStopped = Period.NEVER;

    final Map<String, ProcessHistory> processes = new HashMap<>();
    final List<HandlerRun> runs = new ArrayList<>();
    final Set<String> unacknowledged = new HashSet<>();
    final List<Event.Audit> audits = new ArrayList<>();
    final List<FaultRound> rounds = new ArrayList<>();
    final List<Outage> outages = new ArrayList<>();
    final List<Event.WritesLost> writeLosses = new ArrayList<>();
    final List<Event.ProcessStalled> stalls = new ArrayList<>();
    /** The times in which the store took long to answer. */
    final List<Period> storeStalls = new ArrayList<>();

    Machine machine = new Machine(List.of(), List.of());
    final List<Event.Acquired> ownerships = new ArrayList<>();
    Event.@Nullable TrialClosed closed;

    /** Groups events, which may come in any order. */
    static History of(List<Event> events) {
        return new HistoryReader().read(events);
    }

    TaskHistory task(String id) {
        return tasks.computeIfAbsent(id, TaskHistory::new);
    }

    ProcessHistory process(String name) {
        return processes.computeIfAbsent(name, key -> new ProcessHistory());
    }

    /** Returns the last audit if it was made after the end of the trial; otherwise null. */
    Event.@Nullable Audit finalAudit() {
        Event.Audit last = audits.isEmpty() ? null : audits.get(audits.size() - 1);
        return last == null || closed == null || last.at() < closed.at() ? null : last;
    }

    boolean wasDown(Server server, long from, long to) {
        return outages.stream()
                .anyMatch(outage -> outage.server() == server && outage.from() <= to && outage.to() >= from);
    }

    /** Returns whether another task with the deduplication key of this one ran, or may still run, in its place. */
    boolean isDuplicate(TaskHistory task) {
        String replaced = ReplacedTasks.dedupKey(task.id);
        if (replaced != null) {
            List<String> copies = ReplacedTasks.ofKey(replaced);
            return copies.subList(copies.indexOf(task.id) + 1, copies.size()).stream()
                    .anyMatch(later -> tasks.containsKey(later) || unacknowledged.contains(later));
        }
        return task.runs.stream().noneMatch(HandlerRun::isFinal)
                && RelatedTasks.copies(task.id).stream()
                        .map(tasks::get)
                        .anyMatch(copy -> copy != null && copy.firstEnd() != Period.NEVER);
    }

    /**
     * Returns whether a task may have ended without a run, and the store lost what it knew of that, or had no room for it. The broker
     * may have forgotten the task by then.
     */
    boolean mayHaveEndedUnseen(TaskHistory task) {
        return task.published != null
                && FeatureTasks.mayEndWithoutRun(task.id)
                && (droppedTaskEvents || mayHaveLostWrites(task.published.sentAt(), Period.NEVER));
    }

    /** Returns whether no process was stalled between these times, nor a fault active, nor within so many nanoseconds before. */
    boolean isCalm(long from, long to, long nanosAfterFault) {
        return rounds.stream()
                        .noneMatch(round -> round.began() <= to
                                && (round.ended() == Period.NEVER || from <= round.ended() + nanosAfterFault))
                && !machine.stalled(from, to);
    }

    /** Returns whether the machine had too much work in the last seconds before the end for everything to end in time. */
    boolean wasBusyAtTheEnd() {
        return closed != null && machine.wasBusy(closed.at() - LAST_NANOS, closed.at());
    }

    /** Returns whether the store may have lost something that was written to it between these times. */
    boolean mayHaveLostWrites(long from, long until) {
        return writeLosses.stream().anyMatch(loss -> from <= loss.at() && until >= loss.since());
    }

    /** Returns how old the oldest write was at most that the store lost. A store that is cut off is down, and takes writes all the same. */
    long lostMillis(Event.WritesLost loss) {
        long until = outages.stream()
                .filter(outage -> outage.server() == Server.STORE && outage.from() > loss.since())
                .mapToLong(Outage::from)
                .filter(from -> from < loss.at())
                .min()
                .orElse(loss.at());
        return (until - loss.since()) / 1_000_000;
    }

    /** Returns whether no fault was active at this time, nor within so many nanoseconds before. */
    boolean isFaultFree(long at, long nanosAfterFault) {
        return rounds.stream()
                .noneMatch(round -> at >= round.began()
                        && (round.ended() == Period.NEVER || at <= round.ended() + nanosAfterFault));
    }
}
