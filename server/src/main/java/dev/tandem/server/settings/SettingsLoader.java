package dev.tandem.server.settings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
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
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.unit.DataSize;

/**
 * Reads the settings from files, environment and command line, and refuses to go on unless every one is known, can be
 * read and agrees with the others. All that is wrong is found at once.
 */
public final class SettingsLoader {

    public static final String PREFIX = "tandem";

    /** Variables that a scheduler sets for each service it knows; one may be called tandem or tandem-redis. */
    private static final Pattern SERVICE_LINK = Pattern.compile(
            "TANDEM(_[A-Z0-9_]+)?_(SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?|PORT(_\\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)?)");

    /** What the scripts and tests of this project read from the environment. */
    private static final Pattern OWN_VARIABLE =
            Pattern.compile("TANDEM_(LOCAL|JAVA_OPTS|HOME|SERVER|TEST)(_[A-Z0-9_]+)?");

    /** What the tests and the demo are told about local brokers, by system properties. */
    private static final ConfigurationPropertyName LOCAL = ConfigurationPropertyName.of(PREFIX + ".local");

    private static final Pattern PLAIN_KEY = Pattern.compile("[A-Za-z0-9-]+");

    private static final Pattern SECRET = Pattern.compile(
            "\\.headers|password|secret|jaas|token|credential|keystore\\.key", Pattern.CASE_INSENSITIVE);

    private static final SettingNames NAMES = new SettingNames(TandemSettings.class);

    private final ConfigurableEnvironment environment;
    private final List<SettingProblem> problems = new ArrayList<>();

    private SettingsLoader(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    /** @throws SettingsException naming everything that is wrong */
    public static TandemSettings load(ConfigurableEnvironment environment) {
        return new SettingsLoader(environment).load();
    }

    static SettingNames names() {
        return NAMES;
    }

    private TandemSettings load() {
        findUnknown();
        refuseIfAny();
        TandemSettings settings = bind();
        problems.addAll(SettingsCheck.check(settings));
        refuseIfAny();
        return settings;
    }

    private void refuseIfAny() {
        if (!problems.isEmpty()) {
            throw new SettingsException(
                    problems.stream().distinct().map(this::described).toList());
        }
    }

    // ---- Names

    private void findUnknown() {
        Map<String, String> queues = new LinkedHashMap<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)) {
                continue;
            }
            if (source instanceof SystemEnvironmentPropertySource variables) {
                Arrays.stream(variables.getPropertyNames()).forEach(this::checkVariable);
            } else if (source instanceof EnumerablePropertySource<?> properties) {
                for (String raw : properties.getPropertyNames()) {
                    checkName(raw, String.valueOf(properties.getProperty(raw)), queues);
                }
            }
        }
    }

    private void checkVariable(String raw) {
        String variable = raw.toUpperCase(Locale.ROOT);
        if (variable.startsWith("TANDEM_")
                && !NAMES.knowsVariable(variable)
                && !SERVICE_LINK.matcher(variable).matches()
                && !OWN_VARIABLE.matcher(variable).matches()) {
            ConfigurationPropertyName name = ConfigurationPropertyName.adapt(variable.toLowerCase(Locale.ROOT), '_');
            problems.add(new SettingProblem(
                    "The environment variable " + raw,
                    "set",
                    NAMES.advice(name) + " (as a variable in capitals, with _ for each dot and without hyphens)"));
        }
    }

    private void checkName(String raw, String value, Map<String, String> queues) {
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(raw, '.');
        if (name.isEmpty()
                || !name.getElement(0, ConfigurationPropertyName.Form.UNIFORM).equals(PREFIX)) {
            return;
        }
        if (raw.startsWith(PREFIX + ".queues.") && !checkQueueKey(raw, queues)) {
            return;
        }
        if (NAMES.knows(name) || LOCAL.isAncestorOf(name) || LOCAL.equals(name)) {
            return;
        }
        if (name.getNumberOfElements() == 1 || NAMES.isSection(name)) {
            problems.add(new SettingProblem(raw, value, "it is a section: write settings below it, or leave it out"));
        } else {
            problems.add(new SettingProblem(raw, shown(raw, value), bracketsAdvice(name, raw)));
        }
    }

    /** A key that is not in brackets loses what Spring Boot does not allow there, which would rename the queue. */
    private boolean checkQueueKey(String raw, Map<String, String> queues) {
        String key = raw.substring((PREFIX + ".queues.").length()).split("[.\\[]", 2)[0];
        if (!PLAIN_KEY.matcher(key).matches()) {
            problems.add(new SettingProblem(
                    raw,
                    "named by the key '" + key + "'",
                    "a queue name with other characters than letters, digits and hyphens is written in brackets, in YAML"
                            + " as \"[" + key + "]\":"));
            return false;
        }
        String uniform = key.toLowerCase(Locale.ROOT).replace("-", "");
        String other = queues.putIfAbsent(uniform, key);
        if (other != null && !other.equals(key)) {
            problems.add(new SettingProblem(
                    PREFIX + ".queues." + key,
                    "there beside " + PREFIX + ".queues." + other,
                    "names that differ only in capitals or hyphens are taken for one; rename a queue, or write both"
                            + " names in brackets, in YAML as \"[" + key + "]\":"));
            return false;
        }
        return true;
    }

    private static String bracketsAdvice(ConfigurationPropertyName name, String raw) {
        String advice = NAMES.advice(name);
        if (!raw.startsWith(PREFIX + ".queues.") || advice.contains("did you mean")) {
            return advice;
        }
        // A queue called orders.created, written without brackets?
        String rest = raw.substring((PREFIX + ".queues.").length());
        for (int dot = rest.indexOf('.', rest.indexOf('.') + 1); dot > 0; dot = rest.indexOf('.', dot + 1)) {
            String queue = rest.substring(0, dot);
            String setting = rest.substring(dot + 1);
            if (NAMES.knows(ConfigurationPropertyName.adapt(PREFIX + ".queues.x." + setting, '.'))) {
                return "there is no such setting; if the queue's name is " + queue
                        + ", write it in brackets: " + PREFIX + ".queues[" + queue + "]." + setting + ", in YAML as \"["
                        + queue + "]\":";
            }
        }
        return advice;
    }

    // ---- Values

    private TandemSettings bind() {
        BindHandler collecting = new BindHandler() {
            @Override
            public @Nullable Object onFailure(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
                ConfigurationProperty property = context.getConfigurationProperty();
                if (property == null) {
                    throw new IllegalStateException("The settings at " + name + " can't be read", error);
                }
                problems.add(new SettingProblem(
                        name.toString(),
                        shown(name.toString(), String.valueOf(property.getValue())),
                        wanted(target.getType().resolve(Object.class))));
                return null; // the default stands in, so that the rest is checked too
            }
        };
        return Binder.get(environment).bindOrCreate(PREFIX, Bindable.of(TandemSettings.class), collecting);
    }

    private static String wanted(Class<?> type) {
        if (type.isEnum()) {
            return "it must be "
                    + Arrays.stream(type.getEnumConstants())
                            .map(constant -> SettingNames.kebab(
                                            constant.toString().toLowerCase(Locale.ROOT))
                                    .replace('_', '-'))
                            .collect(Collectors.joining(" or "));
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

    private static String shown(String name, String value) {
        boolean secret = SECRET.matcher(name).find();
        return secret ? "***" : Secrets.masked(value);
    }

    /** The problem with the value as it was written, and where. */
    private String described(SettingProblem problem) {
        if (ConfigurationPropertyName.isValid(problem.setting())) {
            ConfigurationPropertyName name = ConfigurationPropertyName.of(problem.setting());
            for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
                ConfigurationProperty property = source.getConfigurationProperty(name);
                if (property != null) {
                    String value = shown(problem.setting(), String.valueOf(property.getValue()));
                    return new SettingProblem(problem.setting(), value, problem.remedy()) + place(property.getOrigin());
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
