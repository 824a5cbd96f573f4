package dev.tandem.verify.worker;

import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient;
import dev.tandem.client.TandemClientBuilder;
import dev.tandem.client.TaskSender;
import dev.tandem.executor.FanOutMetrics;
import dev.tandem.executor.FanOutPolicy;
import dev.tandem.executor.FanOutPublisher;
import dev.tandem.executor.FanOuts;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import java.util.Map;

/** The fan-outs of an executor, and what looks for those that have ended and whose final task nobody has submitted. */
final class WorkerFanOuts implements AutoCloseable {

    static final long LOOK_MILLIS = 2_000;

    /** Other trials may have left fan-outs in the store. */
    private static final int MOST_OTHERS = 1_000;

    private final RedisStore store;
    private final TandemClient client;
    private final FanOuts fanOuts;

    WorkerFanOuts(WorkerSettings settings, RedisStore store) {
        this.store = store;
        TandemClientBuilder builder = TandemClient.builder();
        this.client =
                (settings.isRabbit() ? builder.queue(settings.rabbit()) : builder.queue(settings.kafka())).build();
        this.fanOuts = new FanOuts(store, new Sending(client.sender()), FanOutPolicy.DEFAULTS, FanOutMetrics.NONE);
    }

    FanOuts fanOuts() {
        return fanOuts;
    }

    /** Returns the client by which subtasks are submitted. */
    TaskClient client() {
        return client;
    }

    void look() {
        var unused = store.fanOuts().due(MOST_OTHERS).thenAccept(due -> due.forEach(this::look));
    }

    private void look(String id) {
        var unused = fanOuts.ask(new FanOutRequest.View(id)).thenAccept(answer -> {
            FanOutRecord record = answer == null ? null : answer.record();
            if (record != null && record.phase() == FanOutRecord.Phase.COMPLETE && fanOuts.reaches(record)) {
                fanOuts.finish(id);
            }
        });
    }

    @Override
    public void close() {
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
