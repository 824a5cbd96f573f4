package dev.tandem.runtime.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;

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
        List<SettingProblem> unknown = UnknownSettings.find(environment, handlers);
        problems.addAll(unknown);
        TandemSettings settings = bind(unknown);
        // A value that cannot be read was replaced by its default, or left out with its queue. There is nothing to say
        // of that.
        Set<ConfigurationPropertyName> unreadable =
                problems.stream().map(SettingsLoader::name).collect(Collectors.toSet());
        SettingsCheck.check(settings, handlers).stream()
                .filter(problem -> unreadable.stream()
                        .noneMatch(each ->
                                name(problem).equals(each) || name(problem).isAncestorOf(each)))
                .filter(problem ->
                        !problem.isOfMissing() || unknown.stream().noneMatch(each -> explains(each, problem)))
                .forEach(problems::add);
        refuseIfAny();
        return settings;
    }

    /** Whether a setting is only missing because its name, or that of a section above it, was mistyped. */
    private static boolean explains(SettingProblem unknown, SettingProblem missing) {
        if (unknown.meant() == null) {
            return false;
        }
        ConfigurationPropertyName meant = ConfigurationPropertyName.adapt(unknown.meant(), '.');
        ConfigurationPropertyName name = name(missing);
        ConfigurationPropertyName section = name.getParent();
        return name.equals(meant)
                || name.isAncestorOf(meant)
                // The section is there only because of the mistyped name.
                || (section.isAncestorOf(name(unknown)) && !section.isAncestorOf(meant));
    }

    /** @param unknown some of them could end the reading at once */
    private TandemSettings bind(List<SettingProblem> unknown) {
        SettingsBinder binder = new SettingsBinder();
        try {
            TandemSettings settings = binder.bind(
                    environment, unknown.stream().map(SettingsLoader::name).collect(Collectors.toSet()));
            problems.addAll(binder.problems());
            return settings;
        } catch (RuntimeException e) {
            problems.addAll(binder.problems());
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
                    origins.describe(problems.stream().distinct().toList()));
        }
    }
}
