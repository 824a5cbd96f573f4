package dev.tandem.server.security;

import dev.tandem.runtime.settings.OidcSettings;
import dev.tandem.server.access.AccessToken;
import dev.tandem.server.access.Caller;
import dev.tandem.task.LogText;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes a caller of what an OpenID provider says of a user, if one of the user's groups has a role. */
final class OidcRoles {

    private final String claim;
    private final GroupRoles roles;

    OidcRoles(OidcSettings settings) {
        this.claim = settings.rolesClaim();
        this.roles = new GroupRoles(settings.roles());
    }

    Optional<Caller> caller(String name, Map<String, Object> claims) {
        return roles.of(groups(claims))
                .map(role ->
                        new Caller(LogText.oneLine(name, AccessToken.MAX_NAME), role, List.of(), null, Caller.By.OIDC));
    }

    private List<String> groups(Map<String, Object> claims) {
        Object found = find(claims, claim);
        if (found instanceof String one) {
            return List.of(one);
        }
        return found instanceof Collection<?> many
                ? many.stream()
                        .filter(String.class::isInstance)
                        .map(String.class::cast)
                        .toList()
                : List.of();
    }

    /** A claim whose own name has dots counts more than one inside of another. */
    private static @Nullable Object find(Map<?, ?> claims, String path) {
        Object whole = claims.get(path);
        int dot = path.indexOf('.');
        return whole == null && dot > 0 && claims.get(path.substring(0, dot)) instanceof Map<?, ?> inner
                ? find(inner, path.substring(dot + 1))
                : whole;
    }
}
