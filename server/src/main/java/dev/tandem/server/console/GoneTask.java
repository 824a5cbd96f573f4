package dev.tandem.server.console;

import dev.tandem.server.api.ArchiveReader;
import dev.tandem.server.words.Sentence;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A task that the store does not hold, and what became of it as far as that is known.
 *
 * @param name how the page names it: its id or its reference
 * @param seen its state when it was shown last; null if it was never shown
 * @param problem why there is nothing to show, for people
 * @param remedy what else it may be; null if that cannot be said
 * @param archived whether the ends of the queue's tasks get into an archive
 * @param end what the archive has of it; null if that is nothing
 */
record GoneTask(
        String queue,
        String name,
        @Nullable String seen,
        Sentence problem,
        @Nullable Sentence remedy,
        boolean archived,
        ArchiveReader.@Nullable ArchivedTask end) {

    private static final Set<String> ENDS = Set.of("succeeded", "dead", "expired", "cancelled");

    /** Whether the archive knows how the task ended, and not only how an attempt did. */
    boolean hasEnded() {
        return end != null && ENDS.contains(end.state());
    }

    /** Whether the task was dead, so that nothing but a deletion or its age takes it out of the store. */
    boolean wasDead() {
        return "dead".equals(seen);
    }

    /** Returns when the archive recorded its end. */
    ArchiveReader.@Nullable Outcome outcome() {
        return end == null ? null : end.outcomes().get(end.outcomes().size() - 1);
    }

    /** Says so to whoever shows the page. */
    static final class GoneException extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final transient GoneTask task;

        GoneException(GoneTask task) {
            super("The task is gone", null, false, false);
            this.task = task;
        }

        /** Returns the page for those who open it now. */
        Page page() {
            return Page.stillOf("gone", task.name(), () -> task);
        }

        /** Returns what those read who look at the page of the task. */
        Page notice() {
            return Page.stillOf("gonenotice", task.name(), () -> task);
        }
    }
}
