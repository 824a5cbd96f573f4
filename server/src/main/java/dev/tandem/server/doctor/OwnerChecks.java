package dev.tandem.server.doctor;

import dev.tandem.server.findings.Finding;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Judges whether executors work. Pure. */
public final class OwnerChecks {

    private OwnerChecks() {}

    /**
     * Judges the executor of this server.
     *
     * @param executor its id; null if this server runs no tasks
     * @param problem why it runs none although it should; null if it does
     */
    public static Finding server(@Nullable String executor, @Nullable String problem) {
        if (problem != null) {
            return Finding.problem(
                    "server",
                    executor,
                    "executor",
                    "This server runs no tasks: " + problem,
                    "Look at the server's log");
        }
        return Finding.ok(
                "server",
                executor,
                "executor",
                executor == null
                        ? "This server runs no tasks, because tandem.executor.enabled is false"
                        : "This server runs tasks");
    }

    /** @param texts what is said of partitions without an owner for a lease, by queue */
    public static List<Finding> unowned(Map<String, String> texts) {
        return texts.entrySet().stream()
                .map(each -> Finding.problem(
                        "queue",
                        each.getKey(),
                        "owners",
                        "For a lease of partitions (tandem.executor.lease) or longer, " + each.getValue(),
                        "Look at the health of each server, and at ./tandem executors"))
                .toList();
    }
}
