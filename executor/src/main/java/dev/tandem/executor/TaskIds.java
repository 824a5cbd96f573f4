package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Position;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;

/** Names tasks for people. */
final class TaskIds {

    private TaskIds() {}

    /** Returns the publisher's id, else one made from the task's place in the broker. */
    static String idOf(Run run, String topic, Source.Kind kind) {
        return idOf(run.task(), run.place(), topic, kind);
    }

    /**
     * Returns the publisher's id, else one made from the task's place in the broker. The same text whether the task comes from
     * the broker or the store.
     */
    static String idOf(Task task, TaskPlace place, String topic, Source.Kind kind) {
        String given = task.id();
        if (given != null) {
            return given;
        }
        Position position = place.position();
        String inPartition = kind == Source.Kind.LOG ? offsetOf(position) : position.text();
        return topic + ":" + place.partition().name() + ":" + inPartition;
    }

    /** Returns the offset of a log's position. */
    static String offsetOf(Position position) {
        return position.text().substring(position.text().indexOf(':') + 1);
    }
}
