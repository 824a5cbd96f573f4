package dev.tandem.executor;

import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Source;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.TaskRelations;
import org.jspecify.annotations.Nullable;

/** Settings of a queue that are the same in every copy of its {@link QueueSpec}. @param fanOuts null if its tasks cannot fan out */
record SharedQueueSettings(
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
        NotePolicy notes,
        TaskRelations relations,
        @Nullable FanOuts fanOuts) {}
