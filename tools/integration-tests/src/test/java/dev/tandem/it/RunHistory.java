package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** All runs of a test, read from the journals of its workers, and the guarantees that they must satisfy. */
final class RunHistory {

    /** The end of a run that has not ended. */
    static final long RUNNING = Long.MAX_VALUE;

    /** One run of a task. Times are {@link System#nanoTime}. */
    record Run(String key, String id, int attempt, long token, long start, long end, boolean succeeded) {

        /** The task's place among the tasks of its key, from its id {@code <key>-<number>}. */
        int number() {
            return Integer.parseInt(id.substring(id.lastIndexOf('-') + 1));
        }

        Run ended(long at, boolean success) {
            return new Run(key, id, attempt, token, start, at, success);
        }

        @Override
        public String toString() {
            return id + " attempt " + attempt + " token " + token + " [" + start + ", " + end + "]";
        }
    }

    private final List<Run> runs;

    private RunHistory(List<Run> runs) {
        this.runs = runs;
    }

    /**
     * Reads the current content of the journals.
     *
     * @param journals each with the time of its process's death, which is the end of all unfinished runs
     */
    static RunHistory read(Map<Path, Long> journals) {
        List<Run> runs = new ArrayList<>();
        journals.forEach((journal, dead) -> {
            Map<String, Run> open = new LinkedHashMap<>();
            lines(journal).forEach(line -> read(line.split(" "), open, runs));
            open.values().forEach(run -> runs.add(run.ended(dead, false)));
        });
        return new RunHistory(runs);
    }

    private static void read(String[] line, Map<String, Run> open, List<Run> runs) {
        long at = Long.parseLong(line[0]);
        RunJournal.Event what = RunJournal.Event.valueOf(line[1]);
        String id = line[3];
        long token = Long.parseLong(line[5]);
        if (what == RunJournal.Event.STARTED) {
            int attempt = Integer.parseInt(line[4]);
            open.put(id + " " + token, new Run(line[2], id, attempt, token, at, RUNNING, false));
        } else {
            Run started = open.remove(id + " " + token);
            assertThat(started).as("a run that ends was started: " + id).isNotNull();
            runs.add(started.ended(at, what == RunJournal.Event.SUCCEEDED));
        }
    }

    /** Returns the complete lines. The last line may still be in the middle of being written. */
    private static List<String> lines(Path journal) {
        try {
            String text = Files.exists(journal) ? new String(Files.readAllBytes(journal), StandardCharsets.UTF_8) : "";
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Run> runs() {
        return runs;
    }

    List<Run> runsOf(String id) {
        return runs.stream()
                .filter(run -> run.id().equals(id))
                .sorted(Comparator.comparingLong(Run::start))
                .toList();
    }

    Set<String> succeeded() {
        return ids(Run::succeeded);
    }

    Set<String> ids(Predicate<Run> which) {
        return runs.stream().filter(which).map(Run::id).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the ids of tasks that succeeded more than once. */
    List<String> duplicates() {
        return runs.stream()
                .filter(Run::succeeded)
                .collect(Collectors.groupingBy(Run::id, Collectors.counting()))
                .entrySet()
                .stream()
                .filter(each -> each.getValue() > 1)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /**
     * Asserts guarantees 2, 3 and 4: the runs of a key follow one another, in the order of its tasks, with growing
     * tokens. A task whose success was not recorded when its executor died may run again after a later task has
     * started, but it must have succeeded before the first start of that task.
     */
    void assertOrderAndExclusion() {
        assertOrderAndExclusion("");
    }

    /**
     * Asserts the same.
     *
     * @param about the description in a failure
     */
    void assertOrderAndExclusion(String about) {
        assertOrderAndExclusion(about, (before, after) -> false);
    }

    /** Asserts the same. @param tokensMayShrink whether tokens need not grow from one run of a key to the next one */
    void assertOrderAndExclusion(String about, BiPredicate<Run, Run> tokensMayShrink) {
        Map<String, List<Run>> byKey = new HashMap<>();
        runs.forEach(run ->
                byKey.computeIfAbsent(run.key(), key -> new ArrayList<>()).add(run));
        List<String> violations = new ArrayList<>();
        for (List<Run> ofKey : byKey.values()) {
            ofKey.sort(Comparator.comparingLong(Run::start));
            for (int i = 1; i < ofKey.size(); i++) {
                Run before = ofKey.get(i - 1);
                Run after = ofKey.get(i);
                if (after.start() < before.end()) {
                    violations.add("two at once: " + before + " and " + after);
                }
                if (after.number() < before.number() && !hadEnded(after, before, ofKey)) {
                    violations.add("out of order: " + before + " and then " + after);
                }
                if (after.token() <= before.token() && !tokensMayShrink.test(before, after)) {
                    violations.add("tokens do not grow: " + before + " and then " + after);
                }
            }
        }
        assertThat(violations).as(about).isEmpty();
    }

    /** Whether a task had succeeded before the other one first started. */
    private static boolean hadEnded(Run task, Run other, List<Run> ofKey) {
        long otherStarted = ofKey.stream()
                .filter(run -> run.id().equals(other.id()))
                .mapToLong(Run::start)
                .min()
                .orElseThrow();
        return ofKey.stream()
                .anyMatch(run -> run.id().equals(task.id()) && run.succeeded() && run.end() <= otherStarted);
    }
}
