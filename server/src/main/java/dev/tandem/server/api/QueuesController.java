package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.LocalQueues;
import dev.tandem.server.inspect.LocalQueues.LocalQueue;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.store.PausedTasks;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Shows queues and executors; pauses and resumes queues. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1")
final class QueuesController {

    record Executors(List<ExecutorInfo> executors) {}

    private final ConfiguredQueues queues;
    private final Inspection inspection;
    private final Administration administration;
    private final Backlog backlog;
    private final LocalQueues local;

    QueuesController(
            ConfiguredQueues queues,
            Inspection inspection,
            Administration administration,
            Backlog backlog,
            LocalQueues local) {
        this.queues = queues;
        this.inspection = inspection;
        this.administration = administration;
        this.backlog = backlog;
        this.local = local;
    }

    @GetMapping("/queues")
    Views.Queues all() {
        List<Views.Queue> all = new ArrayList<>();
        Map<String, QueueHandlers> handlers = handlers();
        queues.all().forEach((name, settings) -> all.add(view(name, settings, handlers, false)));
        return new Views.Queues(all);
    }

    @GetMapping("/queues/{queue}")
    Views.Queue one(@PathVariable String queue) {
        return view(queue, queues.get(queue), handlers(), true);
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/queues/{queue}/pause")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed pause(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(required = false) @Nullable String key) {
        queues.get(queue);
        PausedTasks which = chosen(type, key);
        if (which.isEmpty()) {
            administration.pause(queue, true);
        } else if (!administration.pauseTasks(queue, which)) {
            throw ProblemType.TOO_MANY.refusal(
                    PausedTasks.MAX + " types and keys of queue '" + queue + "' are paused, the most there may be",
                    "Resume some of them, or pause the whole queue");
        }
        return new Views.Changed(1);
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/queues/{queue}/resume")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed resume(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(required = false) @Nullable String key) {
        QueueSettings settings = queues.get(queue);
        PausedTasks which = chosen(type, key);
        if (which.isEmpty()) {
            administration.pause(queue, false);
        } else {
            administration.resumeTasks(queue, which, settings.handler());
        }
        return new Views.Changed(1);
    }

    /** Returns the tasks of a type or a key; none for the whole queue. */
    private static PausedTasks chosen(@Nullable String type, @Nullable String key) {
        if (type != null && key != null) {
            throw ApiException.parameter(
                    "key", "A type or a key is paused at a time, not both", "Send a request for each of them");
        }
        if (type != null) {
            return PausedTasks.ofType(checked("type", type, TaskHeaders.MAX_TYPE));
        }
        return key != null ? PausedTasks.ofKey(checked("key", key, TaskHeaders.MAX_KEY)) : PausedTasks.NONE;
    }

    private static String checked(String what, String name, int maxBytes) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > maxBytes) {
            throw ApiException.parameter(
                    what,
                    "The " + what + " has " + bytes + " bytes, it must have 1 to " + maxBytes,
                    "Name the " + what + " of the tasks");
        }
        return name;
    }

    @GetMapping("/queues/{queue}/dedup-keys/{key}")
    Views.DedupKey dedupKey(@PathVariable String queue, @PathVariable String key) {
        queues.get(queue);
        return inspection
                .dedupKey(queue, key)
                .map(info -> Views.DedupKey.of(key, info))
                .orElseGet(() -> Views.DedupKey.free(key));
    }

    @Needs(Permission.OPERATE)
    @DeleteMapping("/queues/{queue}/dedup-keys/{key}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed freeDedupKey(@PathVariable String queue, @PathVariable String key) {
        queues.get(queue);
        return new Views.Changed(administration.freeDedupKey(queue, key) ? 1 : 0);
    }

    @GetMapping("/queues/{queue}/growths")
    GrowthViews.Growths growths(@PathVariable String queue) {
        queues.get(queue);
        return GrowthViews.Growths.of(inspection.growths(queue));
    }

    @GetMapping("/executors")
    Executors executors() {
        return new Executors(inspection.executors());
    }

    /** Returns nothing if Redis does not answer, which the states of the queues say anyway. */
    private Map<String, QueueHandlers> handlers() {
        try {
            return inspection.handlers();
        } catch (UnavailableException e) {
            return Map.of();
        }
    }

    private Views.Queue view(
            String name, QueueSettings settings, Map<String, QueueHandlers> handlers, boolean withPartitions) {
        List<PartitionInfo> partitions = List.of();
        String unavailable = null;
        boolean paused = false;
        PausedTasks pausedTasks = PausedTasks.NONE;
        try {
            partitions = inspection.partitions(name);
            paused = inspection.isPaused(name);
            pausedTasks = inspection.pausedTasks(name);
        } catch (UnavailableException e) {
            unavailable = e.getMessage();
        }
        Map<String, Long> lags = backlog.of(name);
        LocalQueue here = local.of(name);
        QueueState state = QueueState.of(settings, here, unavailable, paused, partitions, lags)
                .with(handlers.getOrDefault(name, QueueHandlers.NONE))
                .with(name, pausedTasks);
        if (paused) {
            state = state.with(
                    "An operator has paused the queue in all executors; ./tandem resume " + name + " lets it go on");
        }
        TaskCounts counts = partitions.stream().map(PartitionInfo::counts).reduce(TaskCounts.NONE, TaskCounts::plus);
        long blocked = partitions.stream().mapToLong(PartitionInfo::blockedKeys).sum();
        long events = partitions.stream().mapToLong(PartitionInfo::eventBytes).sum();
        boolean known = unavailable == null;
        return new Views.Queue(
                name,
                Views.lower(settings.effectiveSource()),
                Views.lower(settings.effectiveOrdering()),
                state.word(),
                state.problems().isEmpty() ? null : state.problems(),
                known ? paused : null,
                pausedTasks.types().isEmpty()
                        ? null
                        : pausedTasks.types().stream().sorted().toList(),
                pausedTasks.keys().isEmpty()
                        ? null
                        : pausedTasks.keys().stream().sorted().toList(),
                here.withheld(),
                lags.isEmpty()
                        ? null
                        : lags.values().stream().mapToLong(lag -> lag).sum(),
                known ? blocked : null,
                known ? counts : null,
                known ? PartitionInfo.totals(partitions) : null,
                events == 0 ? null : events,
                withPartitions ? partitions(settings, partitions, lags, known) : null);
    }

    /**
     * Returns the partitions that Redis knows, then those that only the broker knows.
     *
     * @param answered whether Redis answered; if not, nobody knows what it has of them
     */
    private static List<Views.Partition> partitions(
            QueueSettings settings, List<PartitionInfo> known, Map<String, Long> lags, boolean answered) {
        List<Views.Partition> all = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (PartitionInfo partition : known) {
            seen.add(partition.partition());
            @Nullable Long lag = lags.get(partition.partition());
            all.add(new Views.Partition(
                    partition.partition(),
                    partition.owner(),
                    lag,
                    partition.blockedKeys(),
                    partition.counts(),
                    Views.Full.of(partition.full()),
                    Views.TooManyBlockedKeys.of(partition.blockedKeys(), settings)));
        }
        lags.forEach((partition, lag) -> {
            if (!partition.isEmpty() && !seen.contains(partition)) {
                all.add(new Views.Partition(
                        partition, null, lag, answered ? 0L : null, answered ? TaskCounts.NONE : null, null, null));
            }
        });
        return all;
    }
}
