package dev.tandem.executor;

import dev.tandem.executor.pull.PullPolicy;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Source;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.TaskRelations;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a queue that are the same in every copy of its {@link QueueSpec}.
 *
 * @param fanOuts null if its tasks cannot fan out
 * @param pull null if the workers of this process run its tasks
 */
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
        LogPolicy log,
        NotePolicy notes,
        TaskRelations relations,
        @Nullable FanOuts fanOuts,
        @Nullable PullPolicy pull) {}
