package dev.tandem.runtime.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
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
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Describes problems with the value as it was written, and with its file and line. Not thread-safe. */
final class SettingOrigins {

    /**
     * A described problem with its place.
     *
     * @param file the number of the file, in the order in which files are met; the largest for all other places
     */
    private record Described(String text, int file, int line) {}

    /** A setting as somebody wrote it. @param origin null if it is unknown */
    private record Written(
            ConfigurationPropertyName name, @Nullable Origin origin) {}

    private static final int NO_FILE = Integer.MAX_VALUE;

    private final ConfigurableEnvironment environment;
    private final List<Written> written = new ArrayList<>();
    private final List<Object> files = new ArrayList<>();

    SettingOrigins(ConfigurableEnvironment environment) {
        this.environment = environment;
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (!ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)
                    && UnknownSettings.isWrittenByUsers(source)
                    && source instanceof EnumerablePropertySource<?> properties) {
                for (String name : properties.getPropertyNames()) {
                    Origin origin = PropertySourceOrigin.get(properties, name);
                    written.add(new Written(ConfigurationPropertyName.adapt(name, '.'), origin));
                    TextResourceOrigin text = fileOrigin(origin);
                    if (text != null && !files.contains(resource(text))) {
                        files.add(resource(text));
                    }
                }
            }
        }
    }

    /** Returns a line for each problem: those of a file in the order of its lines, then the others as they are given. */
    List<String> describe(Collection<SettingProblem> problems) {
        return problems.stream()
                .map(this::described)
                .sorted(Comparator.comparingInt(Described::file).thenComparingInt(Described::line))
                .map(Described::text)
                .toList();
    }

    private Described described(SettingProblem problem) {
        ConfigurationProperty property = property(problem.setting());
        if (property != null) {
            return described(problem.withValue(String.valueOf(property.getValue())), property.getOrigin(), "");
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(problem.setting(), '.');
        for (Written each : written) {
            if (each.name().equals(name)) {
                return described(problem, each.origin(), "");
            }
        }
        // A list or a section has the place of its first setting, and what is missing that of its neighbours.
        String near = problem.isOfMissing() ? "near " : "";
        while (true) {
            Origin first = firstBelow(name);
            if (first != null) {
                return described(problem, first, near);
            } else if (name.isEmpty()) {
                return new Described(problem.toString(), NO_FILE, 0);
            }
            near = "near ";
            name = name.getParent();
        }
    }

    private @Nullable ConfigurationProperty property(String setting) {
        if (ConfigurationPropertyName.isValid(setting)) {
            ConfigurationPropertyName name = ConfigurationPropertyName.of(setting);
            for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
                ConfigurationProperty property = source.getConfigurationProperty(name);
                if (property != null) {
                    return property;
                }
            }
        }
        return null;
    }

    /** Returns where the first setting of a section stands in a file; null if none does. */
    private @Nullable Origin firstBelow(ConfigurationPropertyName section) {
        return written.stream()
                .filter(each -> section.isAncestorOf(each.name()))
                .map(Written::origin)
                .filter(origin -> fileOrigin(origin) != null)
                .min(Comparator.comparingInt((Origin origin) -> fileIndex(fileOrigin(origin)))
                        .thenComparingInt(origin -> line(fileOrigin(origin))))
                .orElse(null);
    }

    private Described described(SettingProblem problem, @Nullable Origin origin, String near) {
        TextResourceOrigin text = fileOrigin(origin);
        if (text != null) {
            String file = text.getResource() == null ? null : text.getResource().getFilename();
            String place = " (" + (file == null ? "" : file + ", ") + near + "line " + line(text) + ")";
            return new Described(problem + place, fileIndex(text), line(text));
        }
        return new Described(problem + place(origin), NO_FILE, 0);
    }

    private static String place(@Nullable Origin origin) {
        if (!(origin instanceof PropertySourceOrigin source)) {
            return "";
        }
        return switch (source.getPropertySource().getName()) {
            case CommandLinePropertySource.COMMAND_LINE_PROPERTY_SOURCE_NAME -> " (on the command line)";
            case StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME -> " (in the environment)";
            case StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME -> " (a system property)";
            default -> " (" + source.getPropertySource().getName() + ")";
        };
    }

    /** Returns the place in a file; null if the origin is no file. */
    private static @Nullable TextResourceOrigin fileOrigin(@Nullable Origin origin) {
        if (origin instanceof PropertySourceOrigin wrapper) {
            return fileOrigin(wrapper.getOrigin());
        }
        return origin instanceof TextResourceOrigin text && text.getLocation() != null ? text : null;
    }

    private static Object resource(TextResourceOrigin text) {
        return text.getResource() == null ? "" : text.getResource();
    }

    private int fileIndex(@Nullable TextResourceOrigin text) {
        return text == null ? NO_FILE : files.indexOf(resource(text));
    }

    private static int line(@Nullable TextResourceOrigin text) {
        return text == null || text.getLocation() == null
                ? 0
                : text.getLocation().getLine() + 1;
    }
}
