package dev.tandem.server.access;

import dev.tandem.runtime.settings.PayloadEditors;
import dev.tandem.server.words.Sentence;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rights of callers on this server: those of their roles, except that the settings say who edits payloads. Immutable.
 *
 * @param editors who may edit payloads
 */
public record Rights(PayloadEditors editors) {

    /** Whether a caller may make requests of this kind. @param queue of which one; null for none */
    public boolean may(Caller caller, Permission permission, @Nullable String queue) {
        return permission == Permission.EDIT ? rolesOfEditors().contains(caller.role()) : caller.may(permission, queue);
    }

    /** Whether a role permits all requests of this kind, of the queues that it is for. */
    public boolean permits(Role role, Permission permission) {
        return permission == Permission.EDIT ? rolesOfEditors().contains(role) : role.permits(permission);
    }

    /** Returns what to do for somebody whose role does not permit such requests. */
    public Sentence remedy(Permission permission) {
        if (permission != Permission.EDIT) {
            return Sentence.of("remedy.roles", Role.thatPermit(permission));
        }
        Set<Role> roles = rolesOfEditors();
        return roles.isEmpty()
                ? Sentence.of("remedy.no-editors")
                : Sentence.of(
                        "remedy.roles-of-editors",
                        roles.stream().map(Role::text).collect(Collectors.joining(", ")));
    }

    private Set<Role> rolesOfEditors() {
        return switch (editors) {
            case NOBODY -> EnumSet.noneOf(Role.class);
            case ADMIN -> EnumSet.of(Role.ADMIN);
            case OPERATOR -> EnumSet.of(Role.OPERATOR, Role.ADMIN);
        };
    }
}
