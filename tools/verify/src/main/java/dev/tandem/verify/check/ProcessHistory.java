package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Server;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The things that were done to one process. */
final class ProcessHistory {

    /** The name of the process of the trial itself, in which the publisher runs. */
    static final String OF_TRIAL = "verify";

    long ended = Period.NEVER;
    boolean killed;
    boolean askedToLeave;
    /** Whether its wall clock was set. */
    boolean clockSet;

    private final List<Period> freezes = new ArrayList<>();
    private final Map<Server, List<Period>> cuts = new EnumMap<>(Server.class);

    void addFreeze(long from, long to) {
        freezes.add(new Period(from, to));
    }

    /** Adds a time in which the process could not reach a server. */
    void addCut(Server server, long from, long to) {
        cuts.computeIfAbsent(server, key -> new ArrayList<>()).add(new Period(from, to));
    }

    /** Returns when the process could not reach the server. */
    List<Period> cutsFrom(Server server) {
        return cuts.getOrDefault(server, List.of());
    }

    boolean wasFrozenAt(long at) {
        return freezes.stream().anyMatch(freeze -> freeze.includes(at));
    }

    boolean wasFrozenWithin(long from, long to) {
        return freezes.stream().anyMatch(freeze -> freeze.overlaps(from, to));
    }

    boolean wasCutOffWithin(Server server, long from, long to) {
        return cutsFrom(server).stream().anyMatch(cut -> cut.overlaps(from, to));
    }

    boolean wasKilledWithin(long from, long to) {
        return killed && ended >= from && ended <= to;
    }

    /** Returns when a fault affects the process first after this time, {@code end} at the latest; {@code from} if one does then. */
    long undisturbedUntil(long from, long end) {
        long until = end;
        List<Period> all = new ArrayList<>(freezes);
        cuts.values().forEach(all::addAll);
        for (Period each : all) {
            if (each.to() >= from) {
                until = Math.min(until, Math.max(from, each.from()));
            }
        }
        return until;
    }

    /** Returns whether the process was ever frozen or cut off. */
    boolean wasDisturbed() {
        return !freezes.isEmpty() || !cuts.isEmpty();
    }

    /** Returns whether the process was killed, frozen or cut off by then. */
    boolean wasHitBy(long at) {
        return (killed && ended <= at)
                || freezes.stream().anyMatch(freeze -> freeze.from() <= at)
                || cuts.values().stream().flatMap(List::stream).anyMatch(cut -> cut.from() <= at);
    }
}
