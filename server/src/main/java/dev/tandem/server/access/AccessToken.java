package dev.tandem.server.access;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A token with which a program or a person calls the API, as it is kept. The secret itself is not kept, only its hash.
 *
 * @param id is public, and the part of the token by which it is found
 * @param name says whose it is, 1 to 100 characters
 * @param queues the queues for which it is good; empty for all. Only roles of queues may be limited
 * @param hash SHA-256 of the secret
 * @param createdBy the name of who made it
 * @param expiresAt null if it never expires
 */
public record AccessToken(
        String id,
        String name,
        Role role,
        List<String> queues,
        byte[] hash,
        Instant createdAt,
        String createdBy,
        @Nullable Instant expiresAt) {

    public static final int MAX_NAME = 100;
    public static final int MAX_QUEUES = 100;

    public AccessToken {
        queues = List.copyOf(queues);
    }

    /** Whether it is good at this time. */
    public boolean isValidAt(Instant now) {
        return expiresAt == null || now.isBefore(expiresAt);
    }

    /** Returns who calls with this token. */
    public Caller caller(Caller.By by) {
        return new Caller(name, role, queues, id, by);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AccessToken token && id.equals(token.id) && Arrays.equals(hash, token.hash);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    /** Leaves out the hash. */
    @Override
    public String toString() {
        return "AccessToken[" + id + ", " + name + ", " + role.text() + "]";
    }
}
