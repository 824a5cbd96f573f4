package dev.tandem.runtime.settings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.unit.DataSize;

/**
 * Loads the settings from files, environment and command line. Refuses settings that are unknown, unreadable, out of
 * bounds or contradictory, and reports all problems at once.
 */
public final class SettingsLoader {

    public static final String PREFIX = "tandem";

    private final ConfigurableEnvironment environment;
    private final KnownHandlers handlers;
    private final List<SettingProblem> problems = new ArrayList<>();

    private SettingsLoader(ConfigurableEnvironment environment, KnownHandlers handlers) {
        this.environment = environment;
        this.handlers = handlers;
    }

    /**
     * Loads the settings of a server, whose handlers are the hosted ones.
     *
     * @throws SettingsException naming every problem
     */
    public static TandemSettings load(ConfigurableEnvironment environment) {
        return new SettingsLoader(environment, new KnownHandlers.Hosted()).load();
    }

    /**
     * Loads the settings of a program with handlers of its own.
     *
     * @param types the types that it has handlers for, by queue. Each queue must be in the settings
     * @throws SettingsException naming every problem
     */
    public static TandemSettings loadForProgram(ConfigurableEnvironment environment, Map<String, Set<String>> types) {
        return new SettingsLoader(environment, new KnownHandlers.OfProgram(types)).load();
    }

    private TandemSettings load() {
        problems.addAll(UnknownSettings.find(environment, handlers));
        boolean complete = problems.isEmpty();
        TandemSettings settings = bindAll();
        // A value that cannot be read was replaced by its default, or left out with its queue. There is nothing to say
        // of that.
        Set<ConfigurationPropertyName> unreadable =
                problems.stream().map(SettingsLoader::name).collect(Collectors.toSet());
        SettingsCheck.check(settings, handlers).stream()
                .filter(problem -> unreadable.stream()
                        .noneMatch(each ->
                                name(problem).equals(each) || name(problem).isAncestorOf(each)))
                // What is missing may be what was mistyped.
                .filter(problem -> complete || !problem.isOfMissing())
                .forEach(problems::add);
        refuseIfAny();
        return settings;
    }

    /** Names that Spring Boot cannot bind are among the problems by then. */
    private TandemSettings bindAll() {
        try {
            return bind();
        } catch (RuntimeException e) {
            refuseIfAny();
            throw e;
        }
    }

    private static ConfigurationPropertyName name(SettingProblem problem) {
        return ConfigurationPropertyName.adapt(problem.setting(), '.');
    }

    private void refuseIfAny() {
        if (!problems.isEmpty()) {
            SettingOrigins origins = new SettingOrigins(environment);
            throw new SettingsException(
                    problems.stream().distinct().map(origins::describe).toList());
        }
    }

    private TandemSettings bind() {
        BindHandler collecting = new BindHandler() {
            @Override
            public @Nullable Object onFailure(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
                ConfigurationProperty property = context.getConfigurationProperty();
                if (property == null) {
                    throw new IllegalStateException("The settings at " + name + " cannot be read", error);
                }
                problems.add(SettingProblem.ofValue(
                        name.toString(),
                        Secrets.shown(name.toString(), String.valueOf(property.getValue())),
                        allowedValues(target.getType())));
                return null; // the default takes its place, so that the other settings are checked too
            }
        };
        return Binder.get(environment).bindOrCreate(PREFIX, Bindable.of(TandemSettings.class), collecting);
    }

    private static String allowedValues(ResolvableType target) {
        Class<?> type = target.resolve(Object.class);
        if (Collection.class.isAssignableFrom(type)) {
            Class<?> element = target.asCollection().getGeneric(0).resolve(Object.class);
            return element.isEnum() ? "name " + names(element, ", ") : "it must be a list";
        }
        if (type.isEnum()) {
            return "it must be " + names(type, " or ");
        }
        if (type == Duration.class) {
            return "it must be a duration, such as 500ms, 10s, 5m, 1h or PT10S";
        }
        if (type == DataSize.class) {
            return "it must be a size, such as 65536, 512KB or 1MB";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "it must be true or false";
        }
        if (type == double.class || type == Double.class) {
            return "it must be a number";
        }
        return "it must be a whole number";
    }

    private static String names(Class<?> type, String between) {
        return Arrays.stream(type.getEnumConstants())
                .map(constant -> constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                .collect(Collectors.joining(between));
    }
}
