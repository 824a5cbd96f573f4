package dev.tandem.client;

import dev.tandem.api.TaskRequest;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders.Binding;
import java.time.InstantSource;
import tools.jackson.databind.json.JsonMapper;

/** Makes tasks as the client of a broker does, for tests that compare the outbox with it. */
public final class ClientEncoding {

    private ClientEncoding() {}

    public static Task encode(TaskRequest<?> request) {
        return new TaskEncoder(JsonMapper.shared(), InstantSource.system()).encode(request, "id", Binding.KAFKA);
    }
}
