package dev.tandem.spring;

import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import java.util.List;

/** Refuses all submissions, because Tandem is switched off. */
final class DisabledTaskClient implements TaskClient {

    @Override
    public <T> TaskRef<T> submit(TaskRequest<T> task) {
        throw refusal();
    }

    @Override
    public List<TaskRef<?>> submitAll(List<? extends TaskRequest<?>> tasks) {
        throw refusal();
    }

    private static IllegalStateException refusal() {
        return new IllegalStateException("No task can be submitted, because tandem.enabled is 'false': set it to true,"
                + " or do not submit tasks in this environment");
    }

    @Override
    public void close() {}
}
