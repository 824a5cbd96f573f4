package dev.tandem.spring;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;

/**
 * Gives the settings of the application with the addresses of its service connections, which count most. Asks for these at
 * the first use, because a container has its address once it has been started. Thread-safe.
 */
final class SettingsEnvironment {

    /** The name that messages give to what a service connection has set. */
    private static final String OF_CONNECTIONS = "from a service connection";

    private final ConfigurableEnvironment application;
    private final List<ConnectionSettings> connections;
    private @Nullable ConfigurableEnvironment complete;

    /** @param connections those that the application has; empty if all addresses are in its settings */
    SettingsEnvironment(ConfigurableEnvironment application, List<ConnectionSettings> connections) {
        this.application = application;
        this.connections = List.copyOf(connections);
    }

    synchronized ConfigurableEnvironment get() {
        ConfigurableEnvironment result = complete;
        if (result == null) {
            result = connections.isEmpty() ? application : withConnections();
            complete = result;
        }
        return result;
    }

    /** The application's environment stays as it is: other parts of it must not see passwords of containers. */
    private ConfigurableEnvironment withConnections() {
        Map<String, Object> settings = new LinkedHashMap<>();
        connections.forEach(each -> settings.putAll(each.settings()));
        StandardEnvironment environment = new StandardEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        sources.remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
        sources.remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        application.getPropertySources().stream()
                .filter(each -> !ConfigurationPropertySources.isAttachedConfigurationPropertySource(each))
                .forEach(sources::addLast);
        sources.addFirst(new MapPropertySource(OF_CONNECTIONS, settings));
        return environment;
    }
}
