package dev.tandem.runtime.settings;

import java.util.List;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A proxy in front of the API that says who calls.
 *
 * @param addresses of the proxies, addresses or ranges; without any, nobody is believed
 * @param userHeader the header that has the name of the user
 * @param groupsHeader the header that has the user's groups, separated by commas
 */
public record ProxySettings(
        @DefaultValue List<String> addresses,
        @DefaultValue("X-Forwarded-User") String userHeader,
        @DefaultValue("X-Forwarded-Groups") String groupsHeader,
        @DefaultValue RoleGroups roles) {}
