package dev.tandem.spring.beside;

import dev.tandem.api.Key;
import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskType;

@TaskGateway(queue = "${desk.queue}")
public interface DeskTasks {

    @TaskType("note")
    void note(@Key String key, String text);
}
