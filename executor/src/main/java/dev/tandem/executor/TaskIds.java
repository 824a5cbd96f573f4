package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Source;
import dev.tandem.task.Task;

/** Names tasks for people. */
final class TaskIds {

    private TaskIds() {}

    /** Returns the publisher's id, else one made from the task's place in the broker. */
    static String idOf(Run run, String topic, Source.Kind kind) {
        return idOf(run.task(), run.partition(), run.position(), topic, kind);
    }

    /**
     * Returns the publisher's id, else one made from the task's place in the broker. The same text whether the task comes from
     * the broker or the store.
     */
    static String idOf(Task task, Partition partition, Position position, String topic, Source.Kind kind) {
        String given = task.id();
        if (given != null) {
            return given;
        }
        String place = kind == Source.Kind.LOG ? offsetOf(position) : position.text();
        return topic + ":" + partition.name() + ":" + place;
    }

    /** Returns the offset of a log's position. */
    static String offsetOf(Position position) {
        return position.text().substring(position.text().indexOf(':') + 1);
    }
}
