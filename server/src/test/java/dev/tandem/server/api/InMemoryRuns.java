package dev.tandem.server.api;

import dev.tandem.server.inspect.ClaimedTask;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.task.store.RunningTask;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Knows the running tasks that a test gives. */
abstract class InMemoryRuns implements Inspection {

    /** The claimed tasks, by queue. */
    final Map<String, List<ClaimedTask>> claimed = new LinkedHashMap<>();

    /** The runs of which executors tell. Those without an entry do not answer. */
    final Map<String, List<RunningTask>> told = new LinkedHashMap<>();

    Set<String> live = Set.of();

    void forgetRuns() {
        claimed.clear();
        told.clear();
        live = Set.of();
    }

    @Override
    public List<ClaimedTask> claimed(String queue, List<String> partitions, int limit) {
        return claimed.getOrDefault(queue, List.of()).stream()
                .filter(each -> partitions.contains(each.task().ref().partition()))
                .limit(limit)
                .toList();
    }

    @Override
    public Map<String, Map<String, List<RunningTask>>> running(Map<String, Set<String>> executors) {
        Map<String, Map<String, List<RunningTask>>> answers = new LinkedHashMap<>();
        executors.forEach((queue, asked) -> {
            Map<String, List<RunningTask>> its = new LinkedHashMap<>(told);
            its.keySet().retainAll(asked);
            answers.put(queue, its);
        });
        return answers;
    }

    @Override
    public Set<String> liveExecutors() {
        return live;
    }
}
