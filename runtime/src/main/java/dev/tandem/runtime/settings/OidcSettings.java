package dev.tandem.runtime.settings;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the users of OpenID providers get roles. The providers themselves are in {@code spring.security.oauth2.client}.
 *
 * @param rolesClaim the claim that has the groups of a user; dots lead into objects, as in {@code realm_access.roles}
 */
public record OidcSettings(
        @DefaultValue("groups") String rolesClaim,
        @DefaultValue RoleGroups roles) {}
