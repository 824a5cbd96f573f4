package dev.tandem.server.runtime;

import dev.tandem.scheduler.OperationTasks.Stage;

/**
 * The place where an operation goes on in a partition.
 *
 * @param cursor from the last page; empty at the beginning of {@code stage}
 * @param lastToken the highest token of the partition when the operation came there first
 */
record OperationPlace(Stage stage, String cursor, long lastToken) {

    /** @param lastToken for a place that a version wrote which did not note it */
    static OperationPlace parse(String text, long lastToken) {
        String[] parts = text.split(" ", 3);
        return new OperationPlace(
                Stage.valueOf(parts[0]), parts[1], parts.length < 3 ? lastToken : Long.parseLong(parts[2]));
    }

    OperationPlace with(Stage nextStage, String nextCursor) {
        return new OperationPlace(nextStage, nextCursor, lastToken);
    }

    String text() {
        return stage + " " + cursor + " " + lastToken;
    }
}
