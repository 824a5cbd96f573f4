package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.operations.OperationAdministration;
import dev.tandem.server.operations.OperationInfo;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.LogText;
import java.util.List;

/** Reads operations on many tasks, for the API and the console. Thread-safe. */
public final class OperationReader {

    private static final int MAX_SHOWN = 60;

    private final ConfiguredQueues queues;
    private final OperationAdministration operations;

    OperationReader(ConfiguredQueues queues, OperationAdministration operations) {
        this.queues = queues;
        this.operations = operations;
    }

    /** Returns all operations that are kept, the latest first. */
    public List<OperationViews.View> all() {
        return operations.all().stream().map(OperationViews::view).toList();
    }

    /** Returns those of a queue. @throws ApiException if this server's settings have no such queue */
    List<OperationViews.View> ofQueue(String queue) {
        queues.get(queue);
        return operations.all().stream()
                .filter(each -> each.queue().equals(queue))
                .map(OperationViews::view)
                .toList();
    }

    /** Returns an operation. @throws ApiException if there is no such queue, or it has no such operation */
    public OperationViews.View one(String queue, String id) {
        queues.get(queue);
        return OperationViews.view(find(queue, id));
    }

    /** Returns the settings of a queue. @throws ApiException if this server's settings have no such queue */
    QueueSettings settings(String queue) {
        return queues.get(queue);
    }

    OperationInfo find(String queue, String id) {
        return operations.find(queue, id).orElseThrow(() -> unknown(id));
    }

    static ApiException unknown(String id) {
        return ProblemType.UNKNOWN_OPERATION.refusal(
                Sentence.of("problem.no-operation", LogText.oneLine(id, MAX_SHOWN)),
                Sentence.of("remedy.operations-kept"));
    }
}
