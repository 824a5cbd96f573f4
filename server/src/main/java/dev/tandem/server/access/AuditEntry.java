package dev.tandem.server.access;

import java.time.Instant;

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
 * @param status of the HTTP answer
 * @param result a few words; may be empty
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
        int status,
        String result) {}
