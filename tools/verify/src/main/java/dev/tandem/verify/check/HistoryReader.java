package dev.tandem.verify.check;

import dev.tandem.verify.check.History.FaultRound;
import dev.tandem.verify.check.History.Outage;
import dev.tandem.verify.load.FanTasks;
import dev.tandem.verify.load.FeatureTasks;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.KeptEnd;
import dev.tandem.verify.record.Event.Server;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds a {@link History} from events: matches starts with ends, and disturbances with their ends. */
final class HistoryReader {

    /** Identifies a run. Tokens of different partitions may be equal, so the task's id is part of it. */
    private record RunKey(String process, String id, long token) {}

    private record RoundKey(String fault, int number) {}

    private record Connection(String process, Server server) {}

    private final History history = new History();
    private final Map<RunKey, HandlerRun> runs = new HashMap<>();
    private final Map<RoundKey, Event.FaultBegan> openRounds = new LinkedHashMap<>();
    private final Map<String, Long> frozenSince = new HashMap<>();
    private final Map<Connection, Long> cutSince = new HashMap<>();
    private final Map<Server, Long> downSince = new EnumMap<>(Server.class);

    History read(List<Event> events) {
        List<Event> sorted = new ArrayList<>(events);
        sorted.sort(Comparator.comparingLong(Event::at));
        // Starts first: threads of one process may write events in another order than that of their times.
        for (Event event : sorted) {
            if (event instanceof Event.RunStarted started) {
                addRun(started);
            }
        }
        for (Event event : sorted) {
            readTaskEvent(event);
            readFeatureEvent(event);
            readProcessEvent(event);
            readServerEvent(event);
            readTrialEvent(event);
        }
        closeOpenPeriods();
        for (HandlerRun run : history.runs) {
            run.processEnd = history.process(run.process).ended;
        }
        history.machine = machine();
        return history;
    }

    /** Returns what the machine did. What faults did explains more. */
    private Machine machine() {
        return new Machine(
                history.stalls.stream()
                        .filter(stall -> !history.process(stall.process()).wasFrozenWithin(stall.since(), stall.at()))
                        .toList(),
                history.storeStalls.stream()
                        .filter(stall -> !history.wasDown(Server.STORE, stall.from(), stall.to()))
                        .toList());
    }

    private void addRun(Event.RunStarted event) {
        HandlerRun run = new HandlerRun(event);
        runs.put(new RunKey(event.process(), event.id(), event.token()), run);
        if (FanTasks.isSubtask(event.id())) {
            history.subtasks.computeIfAbsent(event.id(), TaskHistory::new).runs.add(run);
        } else if (FeatureTasks.isFired(event.id())) {
            history.runs.add(run);
            history.fired.computeIfAbsent(event.id(), TaskHistory::new).runs.add(run);
        } else {
            history.runs.add(run);
            history.task(event.id()).runs.add(run);
        }
        history.process(event.process());
    }

    private void readTaskEvent(Event event) {
        if (event instanceof Event.Published published) {
            history.task(published.id()).published = published;
        } else if (event instanceof Event.Unacknowledged unacknowledged) {
            history.unacknowledged.add(unacknowledged.id());
        } else if (event instanceof Event.FanOutResulted result) {
            history.fanOutResults.add(result);
        } else if (event instanceof Event.LeaseRenewed renewed) {
            HandlerRun run = runs.get(new RunKey(renewed.process(), renewed.id(), renewed.token()));
            if (run != null) {
                run.renewed(renewed.leaseUntil());
            }
        } else if (event instanceof Event.RunFinished finished) {
            HandlerRun run = runs.get(new RunKey(finished.process(), finished.id(), finished.token()));
            if (run != null) {
                run.end = finished.at();
                run.ending = finished.ending();
            }
        }
    }

    private void readFeatureEvent(Event event) {
        if (event instanceof Event.CancelConfirmed cancel) {
            history.cancels.add(cancel);
        } else if (event instanceof Event.EndsKept kept) {
            for (Event.KeptEnd end : kept.ends()) {
                TaskHistory task = history.tasks.get(end.id());
                if (task != null) {
                    task.keptEnd = end;
                }
            }
        } else if (event instanceof Event.CheckpointRead read) {
            history.checkpointReads.add(read);
        } else if (event instanceof Event.CheckpointSaved saved) {
            history.checkpointsSaved.add(saved);
        } else if (event instanceof Event.TaskEventCame came) {
            history.taskEvents.add(came);
            readEnd(came);
        } else if (event instanceof Event.TaskEventsRead read) {
            history.taskEventsRead = read;
        } else if (event instanceof Event.TaskEventsDropped) {
            history.droppedTaskEvents = true;
        } else if (event instanceof Event.ScheduleStopped stopped) {
            history.scheduleStopped = stopped.at();
        } else if (event instanceof Event.ClockSet set) {
            history.process(set.process()).clockSet = true;
        }
    }

    /** Notes how a task ended that did not run, unless the store tells: it keeps less of its history when it is full. */
    private void readEnd(Event.TaskEventCame came) {
        TaskHistory task = history.tasks.get(came.id());
        if (task != null) {
            task.endedAsDuplicate |= came.duplicateOf() != null;
        }
        boolean otherwise = came.kind().equals(KeptEnd.EXPIRED) || came.kind().equals(KeptEnd.CANCELLED);
        if (task != null && task.keptEnd == null && otherwise) {
            task.keptEnd = new KeptEnd(came.id(), came.kind(), came.at());
        }
    }

    private void readProcessEvent(Event event) {
        if (event instanceof Event.ProcessEnded ended) {
            ProcessHistory process = history.process(ended.process());
            process.ended = ended.at();
            process.killed = ended.killed();
        } else if (event instanceof Event.LeaveRequested leave) {
            history.process(leave.process()).askedToLeave = true;
        } else if (event instanceof Event.ProcessFrozen frozen) {
            frozenSince.putIfAbsent(frozen.process(), frozen.at());
        } else if (event instanceof Event.ProcessThawed thawed) {
            Long from = frozenSince.remove(thawed.process());
            history.process(thawed.process()).addFreeze(from == null ? thawed.at() : from, thawed.at());
        } else if (event instanceof Event.ConnectionCut cut) {
            cutSince.putIfAbsent(new Connection(cut.process(), cut.server()), cut.at());
        } else if (event instanceof Event.ConnectionHealed healed) {
            Long from = cutSince.remove(new Connection(healed.process(), healed.server()));
            history.process(healed.process()).addCut(healed.server(), from == null ? healed.at() : from, healed.at());
        } else if (event instanceof Event.ProcessStalled stalled) {
            history.stalls.add(stalled);
        } else if (event instanceof Event.ServerStalled stalled) {
            history.storeStalls.add(new Period(stalled.since(), stalled.at()));
        } else if (event instanceof Event.Acquired acquired) {
            history.ownerships.add(acquired);
        }
    }

    private void readServerEvent(Event event) {
        if (event instanceof Event.ServerDown down) {
            downSince.putIfAbsent(down.server(), down.at());
        } else if (event instanceof Event.ServerUp up) {
            Long from = downSince.remove(up.server());
            history.outages.add(new Outage(up.server(), from == null ? up.at() : from, up.at()));
        } else if (event instanceof Event.WritesLost lost) {
            history.writeLosses.add(lost);
        }
    }

    private void readTrialEvent(Event event) {
        if (event instanceof Event.Audit audit) {
            history.audits.add(audit);
        } else if (event instanceof Event.TrialClosed closed) {
            history.closed = closed;
        } else if (event instanceof Event.FaultBegan began) {
            openRounds.put(new RoundKey(began.fault(), began.round()), began);
        } else if (event instanceof Event.FaultEnded ended) {
            Event.FaultBegan began = openRounds.remove(new RoundKey(ended.fault(), ended.round()));
            if (began != null) {
                addRound(began, ended.at(), ended.hits());
            }
        }
    }

    private void addRound(Event.FaultBegan began, long ended, long hits) {
        history.rounds.add(new FaultRound(began.fault(), began.round(), began.at(), ended, began.targets(), hits));
    }

    /** Adds disturbances whose end was not recorded: they last until the end of the history. */
    private void closeOpenPeriods() {
        openRounds.values().forEach(began -> addRound(began, Period.NEVER, -1));
        history.rounds.sort(Comparator.comparingLong(FaultRound::began));
        frozenSince.forEach((process, from) -> history.process(process).addFreeze(from, Period.NEVER));
        cutSince.forEach((connection, from) ->
                history.process(connection.process()).addCut(connection.server(), from, Period.NEVER));
        downSince.forEach((server, from) -> history.outages.add(new Outage(server, from, Period.NEVER)));
    }
}
