package dev.tandem.demo;

import dev.tandem.demo.DemoCheck.Kill;
import dev.tandem.demo.DemoEvent.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the keys of the picture: some of each {@link Fate}, of which the picture has all runs, those with the most
 * runs first. The same runs give the same choice.
 */
final class TimelineKeys {

    /** The history of a key around the kill. */
    enum Fate {
        CUT_OFF("cut off by the kill"),
        MOVED("moved to the other executor"),
        UNDISTURBED("not affected"),
        RETRIED("failed, and was tried again");

        final String label;

        Fate(String label) {
            this.label = label;
        }
    }

    /** A key of the picture. @param runs all of its runs, by their start */
    record Row(String key, Fate fate, List<HandlerRun> runs) {}

    private static final int PER_FATE = 2;

    private final long from;
    private final Kill kill;
    private final long to;

    /** @param from the first microsecond of the picture @param to its last */
    TimelineKeys(long from, Kill kill, long to) {
        this.from = from;
        this.kill = kill;
        this.to = to;
    }

    /** Returns the chosen keys: first those that the kill hit. */
    List<Row> choose(List<HandlerRun> runs) {
        Map<String, List<HandlerRun>> byKey = new HashMap<>();
        for (HandlerRun run : runs) {
            String key = run.task().key();
            if (key != null) {
                byKey.computeIfAbsent(key, none -> new ArrayList<>()).add(run);
            }
        }
        List<Row> candidates = new ArrayList<>();
        byKey.forEach((key, ofKey) -> {
            ofKey.sort(HandlerRun.BY_START);
            Fate fate = fate(ofKey);
            if (fate != null) {
                candidates.add(new Row(key, fate, ofKey));
            }
        });
        candidates.sort(Comparator.comparing(Row::fate)
                .thenComparing(
                        Comparator.comparingInt((Row row) -> row.runs().size()).reversed())
                .thenComparing(Row::key));
        List<Row> chosen = new ArrayList<>();
        for (Fate fate : Fate.values()) {
            candidates.stream()
                    .filter(row -> row.fate() == fate)
                    .limit(PER_FATE)
                    .forEach(chosen::add);
        }
        return chosen;
    }

    private @Nullable Fate fate(List<HandlerRun> ofKey) {
        if (ofKey.stream().anyMatch(run -> run.start() > to)) {
            return null; // the end would be missing
        }
        boolean hit = ofKey.stream().anyMatch(run -> onVictim(run) && run.outcome() == null);
        boolean failed = ofKey.stream().anyMatch(run -> run.outcome() == Kind.FAILURE);
        boolean before = ofKey.stream().anyMatch(this::onVictim);
        boolean after = ofKey.stream().anyMatch(run -> !onVictim(run) && run.start() > kill.micros());
        if (hit) {
            return Fate.CUT_OFF;
        }
        if (ofKey.stream().anyMatch(run -> run.start() < from)) {
            return null; // the beginning would be missing
        }
        if (failed) {
            // Nor is the kill mixed with a failure: a row shows one thing.
            return before ? null : Fate.RETRIED;
        }
        if (before) {
            return after ? Fate.MOVED : null;
        }
        boolean around = ofKey.stream().anyMatch(run -> run.start() < kill.micros()) && after;
        return around ? Fate.UNDISTURBED : null;
    }

    private boolean onVictim(HandlerRun run) {
        return run.executor().equals(kill.executor());
    }
}
