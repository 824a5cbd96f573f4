package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Source;

/** Names tasks for people. */
final class TaskIds {

    private TaskIds() {}

    /** Returns the publisher's id, else one made from the task's place in the broker. */
    static String idOf(Run run, String topic, Source.Kind kind) {
        String given = run.task().id();
        return given != null ? given : topic + ":" + run.partition().name() + ":" + placeOf(run, kind);
    }

    /** Returns a log's offset or the position. The same text whether the task comes from the broker or the store. */
    private static String placeOf(Run run, Source.Kind kind) {
        if (run.sequence() >= 0) {
            return Long.toString(run.sequence());
        }
        String position = run.position().toString();
        return kind == Source.Kind.LOG ? position.substring(position.indexOf(':') + 1) : position;
    }
}
