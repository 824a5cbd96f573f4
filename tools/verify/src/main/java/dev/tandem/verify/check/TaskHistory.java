package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Published;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One task: what is known of its publishing, and its runs in the order of their starts. */
final class TaskHistory {

    final String id;

    @Nullable
    Published published;

    final List<HandlerRun> runs = new ArrayList<>();

    TaskHistory(String id) {
        this.id = id;
    }

    @Nullable
    String key() {
        return published != null ? published.key() : runs.isEmpty() ? null : runs.get(0).key;
    }

    /** The first start under a valid claim; {@link HandlerRun#NEVER} if there was none. */
    long firstStart() {
        return runs.stream()
                .filter(run -> !run.stale)
                .mapToLong(run -> run.start)
                .min()
                .orElse(HandlerRun.NEVER);
    }

    /**
     * The first end for good. What a former owner ended after another one had started the task does not count.
     *
     * @return {@link HandlerRun#NEVER} if there was none
     */
    long firstEnd() {
        return runs.stream()
                .filter(HandlerRun::isFinal)
                .filter(run -> runs.stream().noneMatch(other -> other.token > run.token && other.start < run.end))
                .mapToLong(run -> run.end)
                .min()
                .orElse(HandlerRun.NEVER);
    }

    boolean succeeded() {
        return runs.stream().anyMatch(HandlerRun::succeeded);
    }
}
