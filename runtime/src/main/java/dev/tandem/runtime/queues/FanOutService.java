package dev.tandem.runtime.queues;

import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient;
import dev.tandem.client.TaskSender;
import dev.tandem.executor.ExecutorClock;
import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.executor.FanOutMetrics;
import dev.tandem.executor.FanOutPolicy;
import dev.tandem.executor.FanOutPublisher;
import dev.tandem.executor.FanOuts;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.settings.TandemSettings.FanOutSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Task;
import dev.tandem.task.store.Store;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** The fan-outs of a process, with a client of their own, and the patrol that finds those that nobody sees to. */
public final class FanOutService implements AutoCloseable {

    private final TandemClient client;
    private final FanOuts fanOuts;
    private final FanOutPatrol patrol;

    private FanOutService(TandemClient client, FanOuts fanOuts, FanOutPatrol patrol) {
        this.client = client;
        this.fanOuts = fanOuts;
        this.patrol = patrol;
    }

    /**
     * Returns the fan-outs of a process. Nothing connects before the first of them.
     *
     * @param settings with all queues to which tasks may fan out
     * @param json writes the payloads of subtasks
     */
    public static FanOutService of(
            TandemSettings settings, RedisStore store, JsonMapper json, ExecutorMetrics metrics) {
        TandemClient client = QueueClients.builder(settings).json(json).build();
        FanOuts fanOuts = new FanOuts(
                store,
                new Sending(client.sender()),
                policy(settings, PolicySettings.core(settings).horizonMillis()),
                FanOutMetrics.of(metrics));
        return new FanOutService(client, fanOuts, new FanOutPatrol(store, fanOuts));
    }

    /**
     * Returns fan-outs for a test of an application, in which nothing goes on in the background.
     *
     * @param store answers at once, and forgets nothing
     * @param client publishes at once
     */
    public static FanOuts inline(
            TandemSettings settings, Store store, TandemClient client, ExecutorMetrics metrics, ExecutorClock clock) {
        return FanOuts.inline(
                store, new Sending(client.sender()), policy(settings, 0), FanOutMetrics.of(metrics), clock);
    }

    private static FanOutPolicy policy(TandemSettings settings, long horizonMillis) {
        FanOutSettings bounds = settings.fanOuts();
        return new FanOutPolicy(
                bounds.maxSubtasks(), bounds.maxDepth(), bounds.keep().toMillis(), horizonMillis);
    }

    FanOuts fanOuts() {
        return fanOuts;
    }

    void start() {
        patrol.start();
    }

    @Override
    public void close() {
        patrol.close();
        fanOuts.close();
        client.close();
    }

    private record Sending(TaskSender sender) implements FanOutPublisher {

        @Override
        public boolean reaches(String queue) {
            return sender.has(queue);
        }

        @Override
        public Task encode(TaskRequest<?> request, String id, Map<String, String> headers) {
            return sender.encode(request, id, headers);
        }

        @Override
        public Publication prepare(Task task) {
            return sender.prepare(task);
        }
    }
}
