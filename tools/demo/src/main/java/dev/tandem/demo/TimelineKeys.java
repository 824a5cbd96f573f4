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
 * Chooses the keys of the picture: some of each {@link Fate}, those with the most runs in the time that is drawn. The
 * same runs give the same choice.
 */
final class TimelineKeys {

    /** What happened to a key around the kill. */
    enum Fate {
        CUT_OFF("cut off by the kill"),
        MOVED("moved to the other executor"),
        UNDISTURBED("not affected"),
        RETRIED("one attempt failed");

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
            ofKey.sort(Comparator.comparingLong(HandlerRun::start));
            Fate fate = fate(ofKey);
            if (fate != null) {
                candidates.add(new Row(key, fate, ofKey));
            }
        });
        candidates.sort(Comparator.comparing(Row::fate)
                .thenComparing(Comparator.comparingLong(this::drawn).reversed())
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
        List<HandlerRun> drawn = ofKey.stream().filter(this::isDrawn).toList();
        if (drawn.isEmpty()) {
            return null;
        }
        boolean hit = drawn.stream().anyMatch(run -> onVictim(run) && run.outcome() == null);
        boolean failed = drawn.stream().anyMatch(run -> run.outcome() == Kind.FAILURE);
        boolean before = drawn.stream().anyMatch(this::onVictim);
        boolean after = drawn.stream().anyMatch(run -> !onVictim(run) && run.start() > kill.micros());
        if (hit) {
            return Fate.CUT_OFF;
        }
        if (failed) {
            // On an executor that lives on: what the kill does to a retry would be a second story in one row.
            return before ? null : Fate.RETRIED;
        }
        if (before) {
            return after ? Fate.MOVED : null;
        }
        boolean around = drawn.stream().anyMatch(run -> run.start() < kill.micros()) && after;
        return around ? Fate.UNDISTURBED : null;
    }

    private boolean onVictim(HandlerRun run) {
        return run.executor().equals(kill.executor());
    }

    private long drawn(Row row) {
        return row.runs().stream().filter(this::isDrawn).count();
    }

    private boolean isDrawn(HandlerRun run) {
        return run.start() >= from && run.start() <= to;
    }
}
