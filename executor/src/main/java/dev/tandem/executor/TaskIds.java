package dev.tandem.executor;

import dev.tandem.task.Position;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;

/** Names tasks for people. */
final class TaskIds {

    private TaskIds() {}

    /**
     * Returns the publisher's id, else one made from the task's place in the broker. The same text whether the task comes from
     * the broker or the store.
     */
    static String idOf(QueueSpec spec, Task task, TaskPlace place) {
        String given = task.id();
        if (given != null) {
            return given;
        }
        Position position = place.position();
        String inPartition = spec.source().kind() == Source.Kind.LOG ? offsetOf(position) : position.text();
        return spec.parts().topic() + ":" + place.partition().name() + ":" + inPartition;
    }

    /** Returns the offset of a log's position. */
    static String offsetOf(Position position) {
        return position.text().substring(position.text().indexOf(':') + 1);
    }
}
