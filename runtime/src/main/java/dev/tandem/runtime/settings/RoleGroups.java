package dev.tandem.runtime.settings;

import java.util.List;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** The groups whose members have each role, as the provider or the proxy names them. Nobody else has one. */
public record RoleGroups(
        @DefaultValue List<String> viewer,
        @DefaultValue List<String> operator,
        @DefaultValue List<String> admin) {

    /** Whether there are no groups, so that nobody gets in. */
    public boolean isEmpty() {
        return viewer.isEmpty() && operator.isEmpty() && admin.isEmpty();
    }
}
