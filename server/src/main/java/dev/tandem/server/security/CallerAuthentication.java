package dev.tandem.server.security;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Permission;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/** Who calls, for Spring Security. Has the authorities {@code ROLE_} with the role, and {@code PERMISSION_} with each permission. */
final class CallerAuthentication extends AbstractAuthenticationToken {

    private static final long serialVersionUID = 1;

    private final transient Caller caller;

    CallerAuthentication(Caller caller) {
        super(authorities(caller));
        this.caller = caller;
        setAuthenticated(true);
    }

    /** Returns the authority of a permission. */
    static String authority(Permission permission) {
        return "PERMISSION_" + permission;
    }

    private static List<GrantedAuthority> authorities(Caller caller) {
        List<GrantedAuthority> authorities = new ArrayList<>();
        authorities.add(new SimpleGrantedAuthority("ROLE_" + caller.role()));
        for (Permission permission : Permission.values()) {
            if (caller.role().permits(permission)) {
                authorities.add(new SimpleGrantedAuthority(authority(permission)));
            }
        }
        return authorities;
    }

    @Override
    public Caller getPrincipal() {
        return caller;
    }

    @Override
    public @Nullable Object getCredentials() {
        return null;
    }
}
