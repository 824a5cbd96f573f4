package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import dev.tandem.task.BusinessId;
import dev.tandem.task.Task;
import dev.tandem.task.TaskDependencies;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says of a task that its queue takes what its publisher probably did not mean. */
final class SubmitWarnings {

    private static final int MAX_QUEUES = 5;

    private final ConfiguredQueues queues;

    SubmitWarnings(ConfiguredQueues queues) {
        this.queues = queues;
    }

    /** Returns sentences for people; null if there is nothing to say. */
    @Nullable
    List<Sentence> of(Task task) {
        String queue = task.queue();
        List<Sentence> warnings = new ArrayList<>();
        String key = task.key();
        if (key != null && !key.isEmpty() && !queues.get(queue).ordered()) {
            warnings.add(Sentence.of("warning.no-order", queue));
        }
        TaskDependencies dependencies = TaskDependencies.of(task);
        if (dependencies != null) {
            dependencies.on().stream()
                    .map(BusinessId::queue)
                    .distinct()
                    .filter(queues::isUnknown)
                    .limit(MAX_QUEUES)
                    .forEach(each -> warnings.add(Sentence.of("warning.unknown-queue", each)));
        }
        return warnings.isEmpty() ? null : warnings;
    }
}
