package dev.tandem.server.access;

import java.security.Principal;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Who makes a request of the API.
 *
 * @param name for people: the token's, or that of a user
 * @param queues the queues to which the caller is limited; empty for all
 * @param token the id of the token; null if the caller has none
 * @param by how the caller showed who it is
 */
public record Caller(
        String name,
        Role role,
        List<String> queues,
        @Nullable String token,
        By by) implements Principal {

    /** How a caller showed who it is. */
    public enum By {
        /** By nothing: the server needs no login. */
        NOTHING,
        /** By a token with each request. */
        TOKEN,
        /** By the cookie of a session that began with a token. */
        SESSION,
        /** By the cookie of a session that began with OpenID Connect. */
        OIDC,
        /** By a proxy that says who it is. */
        PROXY;

        /** Returns the name that users see. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether a browser shows it by itself, so that a page of another site could use it. */
        public boolean isAmbient() {
            return this == SESSION || this == OIDC || this == PROXY;
        }
    }

    /** Whoever calls a server that needs no login. */
    public static final Caller ANYBODY = new Caller("anybody", Role.ADMIN, List.of(), null, By.NOTHING);

    public Caller {
        queues = List.copyOf(queues);
    }

    /** Whether the caller may make requests of this kind. @param queue of which one; null for none */
    public boolean may(Permission permission, @Nullable String queue) {
        return role.permits(permission) && (queues.isEmpty() || (queue != null && queues.contains(queue)));
    }

    /** Returns what tells this caller from all others, in all of its sessions. */
    public String identity() {
        return token == null ? by.text() + " " + name : "token " + token;
    }

    @Override
    public String getName() {
        return name;
    }
}
