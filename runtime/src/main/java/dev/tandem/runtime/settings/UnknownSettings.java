package dev.tandem.runtime.settings;

import static dev.tandem.runtime.settings.SettingsLoader.PREFIX;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Finds settings that do not exist, and names of queues that Spring Boot would change. */
final class UnknownSettings {

    /** Variables that Kubernetes sets for each service it knows; a service may be called tandem or tandem-redis. */
    private static final Pattern SERVICE_LINK = Pattern.compile(
            "TANDEM(_[A-Z0-9_]+)?_(SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?|PORT(_\\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)?)");

    /** Variables that the scripts and tests of this project read. */
    private static final Pattern OWN_VARIABLE =
            Pattern.compile("TANDEM_(LOCAL|JAVA_OPTS|CLASS_ARCHIVE|HOME|SERVER|TEST)(_[A-Z0-9_]+)?");

    /** System properties that tell the tests and the demo about local brokers. */
    private static final ConfigurationPropertyName LOCAL = ConfigurationPropertyName.of(PREFIX + ".local");

    /** The settings of an application that Spring Boot's conditions read, before all other settings. */
    private static final Set<ConfigurationPropertyName> OF_CONDITIONS = Set.of(
            ConfigurationPropertyName.of(PREFIX + ".enabled"),
            ConfigurationPropertyName.of(PREFIX + ".service-connections"));

    /** The same settings as variables. */
    private static final Set<String> VARIABLES_OF_CONDITIONS = Set.of("TANDEM_ENABLED", "TANDEM_SERVICECONNECTIONS");

    /** The settings that only an application with a database of its own can have. */
    private static final ConfigurationPropertyName OUTBOX = ConfigurationPropertyName.of(PREFIX + ".outbox");

    /** The sections whose next part users choose, with a word for that. */
    private static final Map<String, String> CHOSEN = Map.of(
            PREFIX + ".queues.", "a queue name",
            PREFIX + ".schedules.", "the id of a schedule",
            PREFIX + ".limits.", "the name of a limit",
            PREFIX + ".rate-limits.", "the name of a limit",
            PREFIX + ".commands.", "the name of a command");

    private static final Pattern PLAIN_KEY = Pattern.compile("[A-Za-z0-9-]+");

    private static final SettingNames NAMES = new SettingNames(TandemSettings.class);

    /** Tandem's own defaults for settings of Spring Boot, and what Spring Boot adds itself. */
    private static final Set<String> NOT_WRITTEN_BY_USERS = Set.of(
            "Config resource 'class path resource [application.yml]' via location 'optional:classpath:/'",
            StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);

    private final BootSettings boot = new BootSettings();
    private final List<SettingProblem> problems = new ArrayList<>();

    /** The names of queues and schedules found so far, by the form that Spring Boot compares. */
    private final Map<String, String> chosen = new HashMap<>();

    /** Whether the settings that do not begin with tandem are those of Tandem's own server. */
    private final boolean ownServer;

    private UnknownSettings(boolean ownServer) {
        this.ownServer = ownServer;
    }

    static List<SettingProblem> find(ConfigurableEnvironment environment, KnownHandlers handlers) {
        UnknownSettings unknown = new UnknownSettings(handlers instanceof KnownHandlers.Hosted);
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (!ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)) {
                unknown.check(source);
            }
        }
        return unknown.problems;
    }

    private void check(PropertySource<?> source) {
        if (source instanceof SystemEnvironmentPropertySource variables) {
            Arrays.stream(variables.getPropertyNames()).forEach(this::checkVariable);
        } else if (source instanceof EnumerablePropertySource<?> properties) {
            for (String written : properties.getPropertyNames()) {
                String value = String.valueOf(properties.getProperty(written));
                checkName(written, value);
                if (ownServer && isWrittenByUsers(source)) {
                    checkOtherName(written, value);
                }
            }
        }
    }

    static boolean isWrittenByUsers(PropertySource<?> source) {
        return !NOT_WRITTEN_BY_USERS.contains(source.getName());
    }

    private void checkVariable(String written) {
        String variable = written.toUpperCase(Locale.ROOT);
        if (variable.startsWith("TANDEM_")
                && (ownServer || !VARIABLES_OF_CONDITIONS.contains(variable))
                && !NAMES.knowsVariable(variable)
                && !SERVICE_LINK.matcher(variable).matches()
                && !OWN_VARIABLE.matcher(variable).matches()) {
            ConfigurationPropertyName name = ConfigurationPropertyName.adapt(variable.toLowerCase(Locale.ROOT), '_');
            problems.add(SettingProblem.of(
                            "The environment variable " + written,
                            "is set",
                            NAMES.advice(name)
                                    + " (as a variable in capitals, with _ for each dot and without hyphens)")
                    .withGuess(NAMES.nearest(name).orElse(null)));
        }
    }

    /** @param written the setting's name as it was written */
    private void checkName(String written, String value) {
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(written, '.');
        if (name.isEmpty() || !name.getElement(0, Form.UNIFORM).equals(PREFIX)) {
            return;
        }
        String section = chosenSection(written);
        if (section != null && !checkKey(section, CHOSEN.getOrDefault(section, ""), written, value)) {
            return;
        }
        if (!ownServer && OF_CONDITIONS.contains(name)) {
            return;
        }
        if (ownServer && OUTBOX.isAncestorOf(name)) {
            problems.add(SettingProblem.ofValue(
                    written,
                    value,
                    "a server has no outbox: an application with tandem-spring-boot-starter has one in its database"));
            return;
        }
        if (NAMES.knows(name) || LOCAL.isAncestorOf(name) || LOCAL.equals(name)) {
            return;
        }
        if (name.getNumberOfElements() == 1 || NAMES.isSection(name)) {
            problems.add(SettingProblem.ofValue(
                    written, value, "it is a section: write settings below it, or leave it out"));
        } else {
            problems.add(unknown(name, written, value));
        }
    }

    /** Checks a name that does not begin with tandem: it may have lost that, or be a mistyped setting of Spring Boot. */
    private void checkOtherName(String written, String value) {
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(written, '.');
        if (name.isEmpty() || name.getElement(0, Form.UNIFORM).equals(PREFIX)) {
            return;
        }
        ConfigurationPropertyName below = ConfigurationPropertyName.adapt(PREFIX + "." + written, '.');
        if (NAMES.knows(below)) {
            problems.add(SettingProblem.ofValue(
                            written,
                            value,
                            "it has no effect there: it must be below " + PREFIX + ", as " + PREFIX + "." + written)
                    .withGuess(PREFIX + "." + written));
        } else {
            boot.advice(name, value)
                    .ifPresent(advice -> problems.add(SettingProblem.ofValue(written, value, advice.text())
                            .withGuess(advice.meant())));
        }
    }

    /** Without brackets, Spring Boot drops the characters that it does not allow, which would give it another name. */
    private boolean checkKey(String section, String what, String written, String value) {
        String key = written.substring(section.length()).split("[.\\[]", 2)[0];
        if (!PLAIN_KEY.matcher(key).matches()) {
            problems.add(SettingProblem.ofValue(
                            written,
                            value,
                            what
                                    + " with other characters than letters, digits and hyphens must be written in brackets,"
                                    + " in YAML as \"[" + key + "]\":")
                    .withGuess(section + "[" + key + "]" + written.substring(section.length() + key.length())));
            return false;
        }
        String uniform = section + key.toLowerCase(Locale.ROOT).replace("-", "");
        String other = chosen.putIfAbsent(uniform, key);
        if (other != null && !other.equals(key)) {
            problems.add(SettingProblem.of(
                    section + key,
                    "cannot be told from " + section + other,
                    "names that differ only in capitals or hyphens are taken for one; rename one of them, or write both"
                            + " names in brackets, in YAML as \"[" + key + "]\":"));
            return false;
        }
        return true;
    }

    private static @Nullable String chosenSection(String written) {
        return CHOSEN.keySet().stream().filter(written::startsWith).findFirst().orElse(null);
    }

    private static SettingProblem unknown(ConfigurationPropertyName name, String written, String value) {
        SettingProblem problem = SettingProblem.ofValue(written, value, NAMES.advice(name))
                .withGuess(NAMES.nearest(name).orElse(null));
        String section = chosenSection(written);
        if (section == null || problem.meant() != null) {
            return problem;
        }
        // The chosen name may contain dots and be written without brackets: try every dot as its end.
        String rest = written.substring(section.length());
        for (int dot = rest.indexOf('.', rest.indexOf('.') + 1); dot > 0; dot = rest.indexOf('.', dot + 1)) {
            String chosen = rest.substring(0, dot);
            String setting = rest.substring(dot + 1);
            if (NAMES.knows(ConfigurationPropertyName.adapt(section + "x." + setting, '.'))) {
                String meant = section.substring(0, section.length() - 1) + "[" + chosen + "]." + setting;
                return SettingProblem.ofValue(
                                written,
                                value,
                                "there is no such setting; if the name is " + chosen + ", write it in brackets: "
                                        + meant + ", in YAML as \"[" + chosen + "]\":")
                        .withGuess(meant);
            }
        }
        return problem;
    }
}
