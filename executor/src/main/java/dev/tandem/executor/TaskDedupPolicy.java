package dev.tandem.executor;

import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.store.DedupPolicy;
import dev.tandem.task.store.DedupPolicy.Mode;
import java.util.Map;

/** How one task is told from its duplicates: as its headers say, and else as its queue does. Pure. */
final class TaskDedupPolicy {

    private TaskDedupPolicy() {}

    static DedupPolicy of(Task task, DedupPolicy ofQueue) {
        Map<String, String> headers = task.headers();
        String mode = headers.get(TaskHeaders.DEDUP_MODE);
        String window = headers.get(TaskHeaders.DEDUP_WINDOW);
        if (mode == null && window == null) {
            return ofQueue;
        }
        return new DedupPolicy(
                mode == null ? ofQueue.mode() : mode(mode, ofQueue.mode()),
                window == null ? ofQueue.windowMillis() : millis(window, ofQueue.windowMillis()),
                ofQueue.untilDone(),
                ofQueue.retentionMillis(),
                ofQueue.releaseOnFailure(),
                ofQueue.lostAfterMillis(),
                ofQueue.keptMillis());
    }

    // An executor of an earlier version, which did not know these headers, has kept them as they came.

    private static Mode mode(String text, Mode otherwise) {
        return switch (text) {
            case "first" -> Mode.FIRST;
            case "keep-last" -> Mode.KEEP_LAST;
            case "replace" -> Mode.REPLACE;
            default -> otherwise;
        };
    }

    private static long millis(String text, long otherwise) {
        try {
            return Math.max(0, Long.parseLong(text));
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }
}
