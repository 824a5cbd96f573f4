package dev.tandem.runtime;

import dev.tandem.executor.QueueStatus;
import dev.tandem.runtime.TandemStatus.QueueState;
import dev.tandem.runtime.queues.QueueRuntime;
import dev.tandem.runtime.queues.QueueSource.Reachability;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.runtime.settings.TandemSettings;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Says in the words of the settings how a process is. */
final class StatusReport {

    private StatusReport() {}

    /** @param queues null if the process runs no tasks */
    static TandemStatus of(TandemSettings settings, @Nullable QueueRuntime queues) {
        if (queues == null) {
            return new TandemStatus("", List.of(), List.of());
        }
        // A set, because many queues may say the same of their broker.
        Set<String> problems = new LinkedHashSet<>();
        if (queues.problem() != null) {
            problems.add(queues.problem());
        }
        add(problems, "tandem.redis.uri", queues.redis());
        settings.queues().forEach((name, queue) -> add(problems, address(queue.effectiveSource()), queues.reach(name)));
        List<QueueState> states = new ArrayList<>();
        for (QueueStatus status : queues.status()) {
            String problem = problem(status);
            if (problem != null) {
                problems.add(ProgramSettings.queueSetting(status.queue()) + ": " + problem);
            }
            states.add(state(status));
        }
        return new TandemStatus(queues.executorId(), states, List.copyOf(problems));
    }

    private static void add(Set<String> problems, String setting, Reachability reach) {
        if (!reach.reached()) {
            problems.add(setting + ": " + reach.detail());
        }
    }

    private static String address(SourceType source) {
        return switch (source) {
            case KAFKA -> "tandem.kafka.bootstrap-servers";
            case RABBIT -> "tandem.rabbit.uri";
        };
    }

    private static @Nullable String problem(QueueStatus status) {
        if (status.problem() != null) {
            return status.problem();
        }
        return switch (status.state()) {
            case RUNNING -> null;
            case NEW -> "it has not been started yet";
            case STOPPING, STOPPED -> "it is stopped";
            case FAILED -> "its loop failed because of a bug: restart this process";
        };
    }

    private static QueueState state(QueueStatus status) {
        return new QueueState(
                status.queue(),
                status.partitions(),
                status.running(),
                status.succeeded(),
                status.retried(),
                status.dead(),
                status.withheld() != null ? status.withheld() : status.waits());
    }
}
