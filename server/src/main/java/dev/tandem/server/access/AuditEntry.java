package dev.tandem.server.access;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change that somebody asked for, and what became of it.
 *
 * @param id the place in the audit log; empty before it is there. Later entries have later ids
 * @param who the name of the caller
 * @param role the caller's role when it asked
 * @param token the id of the caller's token, since names may repeat; empty without one, as of a user
 * @param by how the caller showed who it is; empty if it did not
 * @param from the address of the client
 * @param action such as {@code pause} or {@code retry}
 * @param subject what was to be changed, such as {@code task pay-1 of queue orders}
 * @param queue the queue that was to be changed, or of which something was; null if none was, and in entries of earlier versions
 * @param task the id or reference of the task as the request named it, whole; null if the change was none of one task by its name,
 *     and in entries of earlier versions
 * @param status of the HTTP answer
 * @param result a few words; may be empty
 * @param tasks how many tasks were published; null if the request was none to publish
 * @param requests how many requests the entry stands for; null if there was one. Only such requests share one as publish tasks
 */
public record AuditEntry(
        String id,
        Instant at,
        String who,
        String role,
        String token,
        String by,
        String from,
        String action,
        String subject,
        @Nullable String queue,
        @Nullable String task,
        int status,
        String result,
        @Nullable Long tasks,
        @Nullable Integer requests) {

    /** Returns an entry of a request that published nothing. @param caller null if nobody knows who it is */
    public static AuditEntry of(
            Instant at,
            @Nullable Caller caller,
            String from,
            String action,
            String subject,
            int status,
            String result) {
        return new AuditEntry(
                "",
                at,
                caller == null ? "nobody" : caller.name(),
                caller == null ? "" : caller.role().text(),
                caller == null || caller.token() == null ? "" : caller.token(),
                caller == null ? "" : caller.by().text(),
                from,
                action,
                subject,
                null,
                null,
                status,
                result,
                null,
                null);
    }

    /** Returns the same as the entry of a request that published tasks, or was to. */
    public AuditEntry published(long count) {
        return new AuditEntry(
                id, at, who, role, token, by, from, action, subject, queue, task, status, result, count, null);
    }

    /** Returns the same of a queue, or of a task of it. @param task null if it is not about one */
    public AuditEntry about(String queue, @Nullable String task) {
        return new AuditEntry(
                id, at, who, role, token, by, from, action, subject, queue, task, status, result, tasks, requests);
    }

    /** Returns what an entry of a like request has in common with this one. */
    public List<Object> likeness() {
        return List.of(who, role, token, by, from, action, subject, status, result);
    }

    /** Returns one entry for both, at the time of this one. */
    public AuditEntry and(AuditEntry like) {
        long both = (tasks == null ? 0 : tasks) + (like.tasks == null ? 0 : like.tasks);
        int asked = (requests == null ? 1 : requests) + (like.requests == null ? 1 : like.requests);
        return new AuditEntry(
                id, at, who, role, token, by, from, action, subject, queue, task, status, result, both, asked);
    }
}
