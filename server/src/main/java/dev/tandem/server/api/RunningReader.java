package dev.tandem.server.api;

import dev.tandem.runtime.masking.Echoes;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.ClaimedTask;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.Overview;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.WaitSentences;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.store.RunningTask;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads which tasks run where, and until when their claims hold, from Redis and the executors. It costs the same however many
 * tasks there are: it reads a bounded number of claims, the oldest of each partition. Thread-safe.
 */
public final class RunningReader {

    /** The most queues whose tasks are read, those with the most first. As many questions are asked at once. */
    private static final int MOST_QUEUES = 20;

    /** The most partitions whose claims are read, those with the most claims first. */
    private static final int MOST_PARTITIONS = 200;

    /** The most claims that are read, so that a page takes less than 10 ms of Redis. */
    private static final int MOST_READ = 200;

    /** Which running tasks are shown. Null means any. @param type the type as it is shown */
    public record Choice(
            @Nullable String executor, @Nullable String type) {}

    /**
     * Running tasks, those first that have run for longest.
     *
     * @param claimed how many tasks executors have claimed in all of these queues
     * @param partial whether there may be others that are meant; null if not
     * @param silent the executors that did not say what they run; null if all did
     */
    public record Running(
            List<Task> running,
            long claimed,
            @Nullable Boolean partial,
            @Nullable List<String> silent) {}

    /**
     * A running task.
     *
     * @param type null if only its executor knows, and that did not answer
     * @param key null if it has none, or only its executor knows, and that did not answer
     * @param since when its handler began, or a pull worker got it, as its executor says; else when it was claimed
     * @param claimedUntil when the claim of its executor lapses unless that renews it
     * @param waitsFor what it waits for before its handler begins, in words for people; null if that is nothing
     * @param worker the pull worker that has it; null if none has
     * @param progress null if it has not said how far it is
     */
    public record Task(
            String queue,
            String ref,
            String id,
            @Nullable String type,
            @Nullable String key,
            @Nullable String executor,
            int attempt,
            @Nullable Instant since,
            Instant claimedUntil,
            @Nullable Sentence waitsFor,
            @Nullable Worker worker,
            NoteViews.@Nullable Progress progress) {}

    /** A pull worker that has a task. @param name null if it gave none @param leaseUntil when its lease runs out unless it extends it */
    public record Worker(@Nullable String name, Instant leaseUntil) {}

    /** Partitions of a queue from which claims are read. */
    record Source(String queue, List<PartitionInfo> partitions) {

        /** Partitions with the most claims come first. */
        static final Comparator<Source> MOST_CLAIMED =
                Comparator.comparing(Source::claimed).reversed().thenComparing(Source::queue);

        static final Comparator<PartitionInfo> PARTITIONS =
                Comparator.comparing(Source::in).reversed().thenComparing(PartitionInfo::partition);

        long claimed() {
            return partitions.stream().mapToLong(Source::in).sum();
        }

        static long in(PartitionInfo partition) {
            return partition.counts().active();
        }
    }

    /** The claims to read. @param all whether that is all there is */
    record Plan(List<Source> sources, int ofPartition, boolean all) {}

    private final ConfiguredQueues queues;
    private final Inspection inspection;

    RunningReader(ConfiguredQueues queues, Inspection inspection) {
        this.queues = queues;
        this.inspection = inspection;
    }

    /** Returns running tasks of all queues of this server's settings. */
    public Running all(Choice choice, int limit) {
        return of(queues.all().keySet(), choice, limit);
    }

    /**
     * Returns running tasks of some queues.
     *
     * @throws ApiException if this server's settings do not have one of the queues, or the limit is wrong
     */
    public Running of(Collection<String> names, Choice choice, int limit) {
        TaskReader.bounded(limit);
        names.forEach(queues::get);
        Overview overview = inspection.overview(names);
        List<Source> all = names.stream()
                .map(name -> new Source(
                        name,
                        overview.queues().get(name).known().partitions().stream()
                                .filter(each -> Source.in(each) > 0)
                                .sorted(Source.PARTITIONS)
                                .toList()))
                .filter(source -> !source.partitions().isEmpty())
                .sorted(Source.MOST_CLAIMED)
                .toList();
        Plan plan = plan(all);
        Map<String, List<ClaimedTask>> claimed = new LinkedHashMap<>();
        for (Source source : plan.sources()) {
            List<String> partitions =
                    source.partitions().stream().map(PartitionInfo::partition).toList();
            claimed.put(source.queue(), inspection.claimed(source.queue(), partitions, plan.ofPartition()));
        }
        Map<String, Set<String>> asked = asked(claimed);
        Map<String, Map<String, List<RunningTask>>> told = inspection.running(asked);
        List<Task> found = new ArrayList<>();
        claimed.forEach((queue, tasks) -> add(queue, tasks, told.getOrDefault(queue, Map.of()), choice, found));
        found.sort(Comparator.comparing(Task::since, Comparator.nullsLast(Comparator.naturalOrder()))
                .thenComparing(Task::queue)
                .thenComparing(Task::ref));
        Set<String> silent = silent(asked, told);
        return new Running(
                List.copyOf(found.subList(0, Math.min(limit, found.size()))),
                all.stream().mapToLong(Source::claimed).sum(),
                plan.all() && !mayHaveMore(claimed, plan.ofPartition()) && found.size() <= limit ? null : true,
                silent.isEmpty() ? null : List.copyOf(silent));
    }

    /**
     * Returns whether a partition has as many tasks as were read of it at most. They were counted before, and there may be
     * more since.
     */
    static boolean mayHaveMore(Map<String, List<ClaimedTask>> claimed, int ofPartition) {
        return claimed.values().stream()
                .flatMap(tasks -> tasks.stream()
                        .collect(Collectors.groupingBy(each -> each.task().ref().partition(), Collectors.counting()))
                        .values()
                        .stream())
                .anyMatch(count -> count >= ofPartition);
    }

    static Plan plan(List<Source> all) {
        List<Source> chosen = new ArrayList<>();
        int partitions = 0;
        for (Source source : all.subList(0, Math.min(MOST_QUEUES, all.size()))) {
            int left = MOST_PARTITIONS - partitions;
            int taken = Math.min(left, source.partitions().size());
            if (taken > 0) {
                chosen.add(new Source(source.queue(), source.partitions().subList(0, taken)));
                partitions += taken;
            }
        }
        int ofPartition = MOST_READ / Math.max(1, partitions);
        long known =
                all.stream().mapToLong(source -> source.partitions().size()).sum();
        boolean whole = chosen.stream()
                .flatMap(source -> source.partitions().stream())
                .allMatch(partition -> Source.in(partition) <= ofPartition);
        return new Plan(chosen, ofPartition, partitions == known && whole);
    }

    /** Returns the live executors that have claimed something, by queue. */
    private Map<String, Set<String>> asked(Map<String, List<ClaimedTask>> claimed) {
        Set<String> live = claimed.isEmpty() ? Set.of() : inspection.liveExecutors();
        Map<String, Set<String>> asked = new LinkedHashMap<>();
        claimed.forEach((queue, tasks) -> {
            Set<String> executors = tasks.stream()
                    .map(each -> String.valueOf(each.task().executor()))
                    .filter(live::contains)
                    .collect(Collectors.toCollection(TreeSet::new));
            if (!executors.isEmpty()) {
                asked.put(queue, executors);
            }
        });
        return asked;
    }

    private static Set<String> silent(
            Map<String, Set<String>> asked, Map<String, Map<String, List<RunningTask>>> told) {
        Set<String> silent = new TreeSet<>();
        asked.forEach((queue, executors) -> {
            Set<String> answered = told.getOrDefault(queue, Map.of()).keySet();
            executors.stream().filter(each -> !answered.contains(each)).forEach(silent::add);
        });
        return silent;
    }

    private void add(
            String queue,
            List<ClaimedTask> claimed,
            Map<String, List<RunningTask>> told,
            Choice choice,
            List<Task> found) {
        QueueSettings settings = queues.get(queue);
        Map<TaskPlace, RunningTask> byPlace = new HashMap<>();
        told.values().forEach(tasks -> tasks.forEach(task -> byPlace.put(task.place(), task)));
        for (ClaimedTask each : claimed) {
            TaskInfo info = each.task();
            Task task = view(queue, settings, each, byPlace.get(info.ref().in(queue)));
            if ((choice.executor() == null || choice.executor().equals(task.executor()))
                    && (choice.type() == null || choice.type().equals(task.type()))) {
                found.add(task);
            }
        }
    }

    /** @param told what its executor says; null if it says nothing */
    private static Task view(String queue, QueueSettings settings, ClaimedTask claimed, @Nullable RunningTask told) {
        TaskInfo info = claimed.task();
        dev.tandem.task.Task task =
                info.envelope() == null ? null : info.envelope().task();
        boolean isNamed = told != null || task != null;
        String type = told != null ? told.type() : task != null ? task.type() : null;
        RunningTask.Worker worker = told == null ? null : told.worker();
        return new Task(
                queue,
                info.ref().toString(),
                told != null ? told.id() : TaskViews.id(queue, settings, info),
                type == null && isNamed ? settings.handler() : type,
                told != null ? told.key() : info.key(),
                info.executor(),
                told != null ? told.attempt() : info.attempts(),
                told != null && told.since() > 0 ? Instant.ofEpochMilli(told.since()) : info.at(),
                claimed.until(),
                told == null || told.waitsFor() == null ? null : WaitSentences.of(told.waitsFor()),
                worker == null
                        ? null
                        : new Worker(
                                worker.name().isEmpty() ? null : worker.name(), Instant.ofEpochMilli(worker.until())),
                // The payload is not read, so nobody can tell what the text of a masked one repeats.
                NoteViews.Progress.of(info.notes().progress(), Echoes.of(settings.mask(), () -> null)));
    }
}
