package dev.tandem.runtime.settings;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.StandardEnvironment;

/** Describes problems with the value as it was written, and with its file and line. */
final class SettingOrigins {

    private final ConfigurableEnvironment environment;

    SettingOrigins(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    String describe(SettingProblem problem) {
        if (ConfigurationPropertyName.isValid(problem.setting())) {
            ConfigurationPropertyName name = ConfigurationPropertyName.of(problem.setting());
            for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
                ConfigurationProperty property = source.getConfigurationProperty(name);
                if (property != null) {
                    String written = Secrets.shown(problem.setting(), String.valueOf(property.getValue()));
                    return problem.withValue(written) + place(property.getOrigin());
                }
            }
        }
        return problem.toString();
    }

    private static String place(@Nullable Origin origin) {
        if (origin instanceof PropertySourceOrigin wrapper && wrapper.getOrigin() != null) {
            return place(wrapper.getOrigin());
        }
        if (origin instanceof TextResourceOrigin text && text.getLocation() != null && text.getResource() != null) {
            String file = text.getResource().getFilename();
            return " (" + (file == null ? "" : file + ", ") + "line "
                    + (text.getLocation().getLine() + 1) + ")";
        }
        if (origin instanceof PropertySourceOrigin source) {
            return switch (source.getPropertySource().getName()) {
                case CommandLinePropertySource.COMMAND_LINE_PROPERTY_SOURCE_NAME -> " (on the command line)";
                case StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME -> " (in the environment)";
                case StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME -> " (a system property)";
                default -> " (" + source.getPropertySource().getName() + ")";
            };
        }
        return "";
    }
}
