package dev.tandem.runtime.settings;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Reads the values of settings into the records. Replaces a value that cannot be read by its default, so that the other
 * settings are checked too, and collects a problem about it. Not thread-safe.
 */
final class SettingsBinder implements BindHandler {

    private final Set<ConfigurationPropertyName> unreadable = new HashSet<>();
    private final List<SettingProblem> problems = new ArrayList<>();

    List<SettingProblem> problems() {
        return problems;
    }

    /** Reads all settings. @param unknown names that Spring Boot must not see: it would stop at some of them */
    TandemSettings bind(ConfigurableEnvironment environment, Set<ConfigurationPropertyName> unknown) {
        List<ConfigurationPropertySource> known = StreamSupport.stream(
                        ConfigurationPropertySources.get(environment).spliterator(), false)
                .map(source -> source.filter(name -> !unknown.contains(name)))
                .toList();
        return new Binder(known, new PropertySourcesPlaceholdersResolver(environment))
                .bindOrCreate(SettingsLoader.PREFIX, Bindable.of(TandemSettings.class), this);
    }

    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
        if (error instanceof UnboundConfigurationPropertiesException gap) {
            gap.getUnboundProperties().forEach(this::addGap);
            return null;
        }
        ConfigurationProperty property = context.getConfigurationProperty();
        if (property == null) {
            throw new IllegalStateException("The settings at " + name + " cannot be read", error);
        }
        // Of a list, the failure of an entry has been told.
        if (unreadable.add(name) && unreadable.stream().noneMatch(name::isAncestorOf)) {
            String value = String.valueOf(property.getValue());
            problems.add(
                    SettingProblem.ofValue(name.toString(), value, AllowedValues.describe(target.getType(), value)));
        }
        return name.isLastElementIndexed() ? standIn(target) : null;
    }

    /** Returns a value for an entry of a list, which without it would end there. */
    private static @Nullable Object standIn(Bindable<?> target) {
        Class<?> type = target.getType().resolve(Object.class);
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        return type == Integer.class ? 0 : null;
    }

    private void addGap(ConfigurationProperty entry) {
        String name = entry.getName().toString();
        problems.add(SettingProblem.ofValue(
                name,
                String.valueOf(entry.getValue()),
                "the entries of a list are numbered from 0, and one before it is missing"));
    }
}
