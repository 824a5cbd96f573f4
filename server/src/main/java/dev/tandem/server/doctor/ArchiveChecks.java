package dev.tandem.server.doctor;

import dev.tandem.server.findings.Finding;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Judges whether ends of tasks are archived. Pure. */
public final class ArchiveChecks {

    private static final String AREA = "server";
    private static final String SUBJECT = "archive";

    private ArchiveChecks() {}

    /**
     * Judges an archive.
     *
     * @param problem why events are not stored; null if they are
     * @param waiting events that wait in the brokers
     * @param lost events that a broker removed before they were read
     */
    public static List<Finding> of(@Nullable String problem, long waiting, long lost) {
        Finding stores = problem == null
                ? Finding.ok(AREA, SUBJECT, "archive", "The archive stores the ends of tasks")
                : Finding.warning(
                        AREA,
                        SUBJECT,
                        "archive",
                        "The archive stores nothing: " + problem + ". " + waiting + " events wait in their brokers",
                        "Let PostgreSQL answer before the brokers remove events: docs/archive.md says when they do");
        return lost == 0
                ? List.of(stores)
                : List.of(
                        stores,
                        Finding.warning(
                                AREA,
                                SUBJECT,
                                "archive-lost",
                                "Since this server started, a broker has removed " + lost
                                        + " events before the archive had read them",
                                "Give the topics of events a longer retention.ms, or tandem.archive.rabbit-max-bytes a"
                                        + " higher value"));
    }
}
