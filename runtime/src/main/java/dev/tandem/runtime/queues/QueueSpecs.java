package dev.tandem.runtime.queues;

import dev.tandem.executor.NotePolicy;
import dev.tandem.executor.QueueSpec;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.task.Source;
import dev.tandem.task.store.Store;

/** Makes queues of an executor from their settings. */
public final class QueueSpecs {

    private QueueSpecs() {}

    /** Returns a queue with all that its settings say, and without handlers. */
    public static QueueSpec.Builder of(String name, QueueSettings queue, Source source, Store store) {
        QueueSpec.Builder spec = QueueSpec.queue(name)
                .source(source)
                .store(store)
                .policy(PolicySettings.queue(queue))
                .custody(PolicySettings.custody(queue))
                .breaker(PolicySettings.breaker(queue.breaker()))
                .timeout(queue.effectiveTimeout())
                .timeoutLimit(queue.effectiveTimeoutLimit())
                .maxAttempts(queue.maxAttempts())
                .maxAttemptsLimit(queue.effectiveMaxAttemptsLimit())
                .unhandledPolicy(PolicySettings.unhandledPolicy(queue))
                .notes(new NotePolicy(
                        Math.toIntExact(queue.maxCheckpointBytes().toBytes()),
                        queue.maxLogLines(),
                        Math.toIntExact(queue.maxResultBytes().toBytes())))
                .relations(PolicySettings.relations(queue))
                .retry(PolicySettings.retry(queue.backoff()));
        if (queue.effectiveSource() == SourceType.KAFKA) {
            spec.topic(queue.effectiveTopic(name));
        }
        return spec;
    }
}
