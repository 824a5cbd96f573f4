package dev.tandem.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What all handlers of a test did, read from their journals, and the guarantees that must show in it. */
final class History {

    /** One run of a task. @param end {@link Long#MAX_VALUE} while it runs @param succeeded false if failed or running */
    record Run(String key, String id, int attempt, long token, long pid, long start, long end, boolean succeeded) {

        /** Where the task stands among its key's, by its id {@code <key>-<number>}. */
        int number() {
            return Integer.parseInt(id.substring(id.lastIndexOf('-') + 1));
        }

        boolean ended() {
            return end != Long.MAX_VALUE;
        }

        @Override
        public String toString() {
            return id + " attempt " + attempt + " token " + token + " pid " + pid + " [" + start + ", " + end + "]";
        }
    }

    private final List<Run> runs;

    private History(List<Run> runs) {
        this.runs = runs;
    }

    /**
     * @param killed processes that are dead, and when they were: their unfinished runs ended then
     */
    static History read(Collection<Path> journals, Map<Long, Long> killed) {
        Map<String, Run> open = new LinkedHashMap<>();
        List<Run> runs = new ArrayList<>();
        for (Path journal : journals) {
            for (String line : lines(journal)) {
                String[] part = line.split(" ");
                long at = Long.parseLong(part[0]);
                Journal.What what = Journal.What.valueOf(part[1]);
                long pid = Long.parseLong(part[6]);
                String run = part[3] + " " + part[4] + " " + part[5] + " " + pid;
                if (what == Journal.What.STARTED) {
                    open.put(
                            run,
                            new Run(
                                    part[2],
                                    part[3],
                                    Integer.parseInt(part[4]),
                                    Long.parseLong(part[5]),
                                    pid,
                                    at,
                                    Long.MAX_VALUE,
                                    false));
                } else {
                    Run started = open.remove(run);
                    assertThat(started)
                            .as("a run that ends was started: " + line)
                            .isNotNull();
                    runs.add(ended(started, at, what == Journal.What.SUCCEEDED));
                }
            }
        }
        open.values()
                .forEach(run ->
                        runs.add(killed.containsKey(run.pid()) ? ended(run, killed.get(run.pid()), false) : run));
        return new History(runs);
    }

    private static Run ended(Run run, long at, boolean succeeded) {
        return new Run(run.key(), run.id(), run.attempt(), run.token(), run.pid(), run.start(), at, succeeded);
    }

    private static List<String> lines(Path journal) {
        try {
            return Files.exists(journal) ? Files.readAllLines(journal) : List.of();
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

    /** Tasks that succeeded more than once. */
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

    /** Guarantees 2, 3 and 4: all runs of a key follow one another, in the order of its tasks, under growing tokens. */
    void assertOrderAndExclusion() {
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
                if (after.number() < before.number()) {
                    violations.add("out of order: " + before + " and then " + after);
                }
                if (after.token() <= before.token()) {
                    violations.add("tokens do not grow: " + before + " and then " + after);
                }
            }
        }
        assertThat(violations).isEmpty();
    }
}
