package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.ProcessStalled;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How much the machine kept processes from their work, because it had too much of it. Every process notices that by itself, and the
 * auditor notices it of the store. What only a machine that is busy can bring about is not held against the product; what happened
 * while it was not busy is.
 */
final class Machine {

    /** The name under which the stalls of the store are kept. */
    private static final String STORE = "";

    /** The share of a time for which a process must have stood still to be held up. */
    private static final double HELD_UP = 0.25;

    private final Map<String, List<Period>> stalls = new HashMap<>();

    Machine(List<ProcessStalled> ofProcesses, List<Period> ofStore) {
        Map<String, List<Period>> all = new HashMap<>();
        ofProcesses.forEach(stall -> all.computeIfAbsent(stall.process(), none -> new ArrayList<>())
                .add(new Period(stall.since(), stall.at())));
        all.put(STORE, ofStore);
        all.forEach((name, its) -> stalls.put(name, merged(its)));
    }

    private static List<Period> merged(List<Period> periods) {
        List<Period> sorted = new ArrayList<>(periods);
        sorted.sort(Comparator.comparingLong(Period::from));
        List<Period> merged = new ArrayList<>();
        for (Period each : sorted) {
            Period last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last == null || each.from() > last.to()) {
                merged.add(each);
            } else {
                merged.set(merged.size() - 1, new Period(last.from(), Math.max(last.to(), each.to())));
            }
        }
        return merged;
    }

    /** Returns whether a process did no work at some moment between these times. */
    boolean stalled(String process, long from, long to) {
        return periods(process).stream().anyMatch(stall -> stall.overlaps(from, to));
    }

    /** Returns whether any process, or the store, did no work at some moment between these times. */
    boolean stalled(long from, long to) {
        return stalls.keySet().stream().anyMatch(process -> stalled(process, from, to));
    }

    /** Returns whether a process, or the store that it needs, stood still for a quarter of this time. */
    boolean heldUp(String process, long from, long to) {
        return to > from && stalledNanos(process, from, to) >= HELD_UP * (to - from);
    }

    /** Returns for how long a process stood still between these times, or the store that it needs. */
    long stalledNanos(String process, long from, long to) {
        return Math.max(sum(process, from, to), sum(STORE, from, to));
    }

    /** Returns whether any process, or the store, stood still for a quarter of this time. */
    boolean wasBusy(long from, long to) {
        Set<String> all = new HashSet<>(stalls.keySet());
        return all.stream().anyMatch(process -> heldUp(process, from, to));
    }

    /**
     * Returns until when something has happened that would have happened by a time if nothing had stood still: each stall puts it
     * off.
     */
    long putOff(String process, long from, long to) {
        long until = to;
        for (Period stall : periods(process)) {
            if (stall.to() >= from && stall.from() <= until) {
                until += stall.to() - Math.max(from, stall.from());
            }
        }
        for (Period stall : periods(STORE)) {
            if (stall.to() >= from && stall.from() <= until) {
                until += stall.to() - Math.max(from, stall.from());
            }
        }
        return until;
    }

    private long sum(String process, long from, long to) {
        return periods(process).stream()
                .mapToLong(stall -> Math.max(0, Math.min(to, stall.to()) - Math.max(from, stall.from())))
                .sum();
    }

    private List<Period> periods(String process) {
        return stalls.getOrDefault(process, List.of());
    }
}
