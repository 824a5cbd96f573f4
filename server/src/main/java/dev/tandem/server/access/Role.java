package dev.tandem.server.access;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What a caller of the API is. Those of {@link #isOfQueues() queues} may be limited to some queues. */
public enum Role {
    VIEWER(Permission.VIEW),
    OPERATOR(Permission.VIEW, Permission.SUBMIT, Permission.OPERATE),
    ADMIN(
            Permission.VIEW,
            Permission.SUBMIT,
            Permission.WORK,
            Permission.OPERATE,
            Permission.EDIT,
            Permission.ADMINISTER),
    PUBLISHER(Permission.SUBMIT),
    WORKER(Permission.WORK);

    private final Set<Permission> permissions;

    Role(Permission... permissions) {
        this.permissions = EnumSet.noneOf(Permission.class);
        this.permissions.addAll(Set.of(permissions));
    }

    /** Whether the role permits all requests of this kind, of the queues that it is for. */
    public boolean permits(Permission permission) {
        return permissions.contains(permission);
    }

    /** Whether callers with this role are programs that only need some queues. */
    public boolean isOfQueues() {
        return this == PUBLISHER || this == WORKER;
    }

    /** Returns the name that users write. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the role with this name; empty if there is none. */
    public static Optional<Role> of(String text) {
        return Stream.of(values()).filter(role -> role.text().equals(text)).findFirst();
    }

    /** Returns the names of all roles that permit this, the one with the least rights first. */
    public static String thatPermit(Permission permission) {
        return String.join(
                ", ",
                Stream.of(PUBLISHER, WORKER, VIEWER, OPERATOR, ADMIN)
                        .filter(role -> role.permits(permission))
                        .map(Role::text)
                        .toList());
    }
}
