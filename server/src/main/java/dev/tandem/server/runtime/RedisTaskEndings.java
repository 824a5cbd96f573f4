package dev.tandem.server.runtime;

import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskEnds;
import dev.tandem.server.inspect.TaskEndings;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Waits for the ends of tasks by the link to Redis. */
final class RedisTaskEndings implements TaskEndings {

    private final TaskEnds ends;

    RedisTaskEndings(RedisStore store) {
        this.ends = store.taskEnds();
    }

    @Override
    public CompletionStage<Optional<TaskInfo>> await(String queue, @Nullable TaskRef ref, String id, Duration timeout) {
        return (ref == null
                        ? ends.await(queue, id, timeout)
                        : ends.await(new Partition(queue, ref.partition()), new Position(ref.position()), timeout))
                .thenApply(seen -> seen.map(RedisInspection::info));
    }
}
