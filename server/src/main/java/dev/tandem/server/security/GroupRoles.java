package dev.tandem.server.security;

import dev.tandem.runtime.settings.RoleGroups;
import dev.tandem.server.access.Role;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;

/** Says which role the members of groups have: of several the one with the most rights. */
record GroupRoles(RoleGroups groups) {

    Optional<Role> of(Collection<String> memberOf) {
        if (!Collections.disjoint(groups.admin(), memberOf)) {
            return Optional.of(Role.ADMIN);
        } else if (!Collections.disjoint(groups.operator(), memberOf)) {
            return Optional.of(Role.OPERATOR);
        }
        return Collections.disjoint(groups.viewer(), memberOf) ? Optional.empty() : Optional.of(Role.VIEWER);
    }
}
