package dev.tandem.executor;

import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Source;
import dev.tandem.task.store.Store;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/** Settings of a queue that are the same in every copy of its {@link QueueSpec}. */
record QueueParts(
        String name,
        Source source,
        Store store,
        String topic,
        RunRules rules,
        HandlerRegistry handlers,
        PayloadReader payloads,
        CustodyBounds custody,
        BreakerPolicy breaker,
        boolean logsKeys,
        NotePolicy notes) {

    static QueueParts of(QueueSpec.Builder from) {
        RunRules rules = new RunRules(
                from.timeout,
                from.timeoutLimit,
                from.maxAttempts,
                from.maxAttemptsLimit,
                from.retry,
                from.finalErrors,
                from.options);
        return new QueueParts(
                from.name,
                Objects.requireNonNull(from.source, () -> "Queue '" + from.name + "' has no source"),
                Objects.requireNonNull(from.store, () -> "Queue '" + from.name + "' has no store"),
                from.topic == null ? from.name : from.topic,
                rules,
                new HandlerRegistry(from.handlers, from.fallback, from.defaultType, from.interceptors, from.grace),
                new PayloadReader(from.json == null ? JsonMapper.builder().build() : from.json),
                from.custody,
                from.breaker,
                from.logsKeys,
                from.notes);
    }
}
