package dev.tandem.server.api;

import dev.tandem.server.access.AuditEntry;
import java.time.Instant;

/** Entries of the audit log, as operators with tokens make them unless a test says something else. */
final class AuditEntries {

    private final String subject;
    private String id = "";
    private Instant at = Instant.now();
    private String who = "nobody";
    private String action = "pause";
    private int status = 202;
    private String result = "";

    private AuditEntries(String subject) {
        this.subject = subject;
    }

    /** Begins an entry. @param subject what was to be changed */
    static AuditEntries of(String subject) {
        return new AuditEntries(subject);
    }

    AuditEntries id(String its) {
        id = its;
        return this;
    }

    AuditEntries at(Instant time) {
        at = time;
        return this;
    }

    AuditEntries by(String name) {
        who = name;
        return this;
    }

    AuditEntries action(String its) {
        action = its;
        return this;
    }

    AuditEntries answered(int code, String words) {
        status = code;
        result = words;
        return this;
    }

    AuditEntry entry() {
        return new AuditEntry(
                id,
                at,
                who,
                "operator",
                "",
                "token",
                "192.0.2.7",
                action,
                subject,
                null,
                null,
                status,
                result,
                null,
                null);
    }
}
