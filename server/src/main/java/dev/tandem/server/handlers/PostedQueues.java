package dev.tandem.server.handlers;

import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.runtime.settings.HttpSettings;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.TandemSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Posts the tasks of all queues whose receivers end them later. To be started and closed by one thread. */
public final class PostedQueues implements AutoCloseable {

    private final TandemSettings settings;
    private final BiFunction<String, HttpSettings, HttpPoster> posters;
    private final List<PostedQueue> queues = new ArrayList<>();

    PostedQueues(TandemSettings settings, BiFunction<String, HttpSettings, HttpPoster> posters) {
        this.settings = settings;
        this.posters = posters;
    }

    /** Begins to post. @param leases returns those of a queue in this process; null if it does not run the queue */
    public void start(Function<String, @Nullable TaskLeases> leases) {
        settings.queues().forEach((name, queue) -> {
            TaskLeases own = queue.isPosted() ? leases.apply(name) : null;
            if (own != null) {
                queues.add(start(name, queue, own));
            }
        });
    }

    private PostedQueue start(String name, QueueSettings queue, TaskLeases leases) {
        PostedQueue posted = new PostedQueue(
                name, queue.http(), queue.effectiveConcurrency(), posters.apply(name, queue.http())::post, leases);
        posted.start();
        return posted;
    }

    /** Ends the calls that still go on. To be called when the queues have stopped. */
    @Override
    public void close() {
        queues.forEach(PostedQueue::close);
    }
}
