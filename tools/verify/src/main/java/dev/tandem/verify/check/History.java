package dev.tandem.verify.check;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The events of a trial, put together. Events may come in any order. */
final class History {

    /**
     * One injection of a fault.
     *
     * @param ended {@link HandlerRun#NEVER} if it never was
     */
    record Round(String fault, int number, long began, long ended, List<String> targets, long hits) {}

    /** A server that did not answer. */
    record Outage(Server link, long from, long to) {}

    final Map<String, TaskHistory> tasks = new LinkedHashMap<>();
    final Map<String, ProcessHistory> lives = new HashMap<>();
    final List<HandlerRun> runs = new ArrayList<>();
    final Set<String> unsure = new HashSet<>();
    final List<Event.Audit> audits = new ArrayList<>();
    final List<Round> rounds = new ArrayList<>();
    final List<Outage> outages = new ArrayList<>();
    final List<Event.WritesLost> forgets = new ArrayList<>();
    final List<Event.ProcessStalled> stalls = new ArrayList<>();
    final List<Event.Acquired> ownerships = new ArrayList<>();
    Event.@Nullable TrialClosed closed;

    private final Map<String, HandlerRun> byToken = new HashMap<>();

    History(List<Event> events) {
        List<Event> sorted = new ArrayList<>(events);
        sorted.sort(Comparator.comparingLong(Event::at));
        // Starts first: times of different threads of a process may be stamped in another order than written.
        sorted.stream()
                .filter(Event.RunStarted.class::isInstance)
                .map(Event.RunStarted.class::cast)
                .forEach(this::started);
        Map<String, Event.FaultBegan> open = new LinkedHashMap<>();
        Map<String, Long> since = new HashMap<>();
        for (Event event : sorted) {
            if (event instanceof Event.Published published) {
                task(published.id()).published = published;
            } else if (event instanceof Event.Unacknowledged unknown) {
                unsure.add(unknown.id());
            } else if (event instanceof Event.LeaseRenewed renewed) {
                HandlerRun run = byToken.get(runName(renewed.process(), renewed.id(), renewed.token()));
                if (run != null) {
                    run.leaseUntil = Math.max(run.leaseUntil, renewed.leaseUntil());
                }
            } else if (event instanceof Event.RunFinished finished) {
                HandlerRun run = byToken.get(runName(finished.process(), finished.id(), finished.token()));
                if (run != null) {
                    run.end = finished.at();
                    run.ending = finished.ending();
                }
            } else if (event instanceof Event.Audit audited) {
                audits.add(audited);
            } else if (event instanceof Event.TrialClosed end) {
                closed = end;
            } else if (event instanceof Event.ProcessEnded died) {
                ProcessHistory life = life(died.process());
                life.death = died.at();
                life.killed = died.killed();
            } else if (event instanceof Event.LeaveRequested leaving) {
                life(leaving.process()).leaving = true;
            } else if (event instanceof Event.ProcessFrozen frozen) {
                since.putIfAbsent(frozen.process(), frozen.at());
            } else if (event instanceof Event.ProcessThawed thawed) {
                trouble(thawed.process(), since.remove(thawed.process()), thawed.at(), null);
            } else if (event instanceof Event.ConnectionCut cut) {
                since.putIfAbsent(cut.process() + " " + cut.link(), cut.at());
            } else if (event instanceof Event.ConnectionHealed healed) {
                Long from = since.remove(healed.process() + " " + healed.link());
                trouble(healed.process(), from, healed.at(), healed.link());
            } else if (event instanceof Event.ServerDown down) {
                since.putIfAbsent("down " + down.link(), down.at());
            } else if (event instanceof Event.ServerUp up) {
                Long from = since.remove("down " + up.link());
                outages.add(new Outage(up.link(), from == null ? up.at() : from, up.at()));
            } else if (event instanceof Event.WritesLost forgot) {
                forgets.add(forgot);
            } else if (event instanceof Event.ProcessStalled stalled) {
                stalls.add(stalled);
            } else if (event instanceof Event.Acquired owned) {
                ownerships.add(owned);
            } else if (event instanceof Event.FaultBegan began) {
                open.put(began.fault() + " " + began.round(), began);
            } else if (event instanceof Event.FaultEnded ended) {
                Event.FaultBegan began = open.remove(ended.fault() + " " + ended.round());
                if (began != null) {
                    rounds.add(round(began, ended.at(), ended.hits()));
                }
            }
        }
        open.values().forEach(began -> rounds.add(round(began, HandlerRun.NEVER, -1)));
        rounds.sort(Comparator.comparingLong(Round::began));
        for (HandlerRun run : runs) {
            run.death = life(run.process).death;
        }
        // Frozen or cut off for the rest of it.
        since.forEach((what, from) -> {
            if (lives.containsKey(what)) {
                trouble(what, from, HandlerRun.NEVER, null);
            } else if (!what.startsWith("down ")) {
                int space = what.lastIndexOf(' ');
                trouble(what.substring(0, space), from, HandlerRun.NEVER, Server.valueOf(what.substring(space + 1)));
            } else {
                outages.add(new Outage(Server.valueOf(what.substring(5)), from, HandlerRun.NEVER));
            }
        });
    }

    private void started(Event.RunStarted event) {
        HandlerRun run = new HandlerRun(event);
        runs.add(run);
        byToken.put(runName(event.process(), event.id(), event.token()), run);
        task(event.id()).runs.add(run);
        life(event.process());
    }

    // Tokens of two partitions may be equal.
    private static String runName(String process, String id, long token) {
        return process + " " + token + " " + id;
    }

    private static Round round(Event.FaultBegan began, long ended, long hits) {
        return new Round(began.fault(), began.round(), began.at(), ended, began.targets(), hits);
    }

    private void trouble(String process, @Nullable Long from, long to, @Nullable Server link) {
        life(process).troubles.add(new ProcessHistory.Trouble(from == null ? to : from, to, link));
    }

    private TaskHistory task(String id) {
        return tasks.computeIfAbsent(id, TaskHistory::new);
    }

    ProcessHistory life(String process) {
        return lives.computeIfAbsent(process, name -> new ProcessHistory());
    }

    /** The last thing that broker and store said, if they were asked after the end; null if not. */
    Event.@Nullable Audit lastAudit() {
        Event.Audit last = audits.isEmpty() ? null : audits.get(audits.size() - 1);
        return last == null || closed == null || last.at() < closed.at() ? null : last;
    }

    boolean down(Server link, long from, long to) {
        return outages.stream().anyMatch(each -> each.link() == link && each.from() <= to && each.to() >= from);
    }

    /** Whether nothing is wrong, nor was for so long. */
    boolean calm(long at, long nanosAfter) {
        return rounds.stream()
                .noneMatch(round ->
                        at >= round.began() && (round.ended() == HandlerRun.NEVER || at <= round.ended() + nanosAfter));
    }
}
