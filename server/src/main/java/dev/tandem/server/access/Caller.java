package dev.tandem.server.access;

import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who makes a request of the API.
 *
 * @param name for people: the token's, or that of a user
 * @param queues the queues to which the caller is limited; empty for all
 * @param token the id of the token; null if the caller has none
 */
public record Caller(
        String name,
        Role role,
        List<String> queues,
        @Nullable String token) implements Principal {

    /** Whoever calls a server that needs no login. */
    public static final Caller ANYBODY = new Caller("anybody", Role.ADMIN, List.of(), null);

    public Caller {
        queues = List.copyOf(queues);
    }

    /** Whether the caller may make requests of this kind. @param queue of which one; null for none */
    public boolean may(Permission permission, @Nullable String queue) {
        return role.permits(permission) && (queues.isEmpty() || (queue != null && queues.contains(queue)));
    }

    @Override
    public String getName() {
        return name;
    }
}
