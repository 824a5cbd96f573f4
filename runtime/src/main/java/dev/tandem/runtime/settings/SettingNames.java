package dev.tandem.runtime.settings;

import dev.tandem.task.EditDistance;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * The names of all settings, derived from the records. Tells whether a name is known, and which one was probably meant.
 *
 * <p>A name is a list of elements. {@link #ANY} stands for a name that users choose, {@link #REST} for anything that
 * may follow, {@link #INDEX} for an index of a list.
 */
final class SettingNames {

    static final String ANY = "*";
    static final String REST = "**";
    static final String INDEX = "[]";

    private final List<List<String>> names = new ArrayList<>();

    SettingNames(Class<? extends Record> type) {
        collect(type, List.of());
    }

    private void collect(Class<?> type, List<String> above) {
        for (RecordComponent component : type.getRecordComponents()) {
            List<String> name = plus(above, kebab(component.getName()));
            Class<?> part = component.getType();
            if (part.isRecord()) {
                collect(part, name);
            } else if (Map.class.isAssignableFrom(part)) {
                Type value = ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[1];
                if (value instanceof Class<?> valueType && valueType.isRecord()) {
                    collect(valueType, plus(name, ANY));
                } else {
                    names.add(plus(name, REST));
                }
            } else if (List.class.isAssignableFrom(part)) {
                names.add(plus(name, INDEX));
            } else {
                names.add(name);
            }
        }
    }

    boolean knows(ConfigurationPropertyName name) {
        List<String> given = elements(name);
        return names.stream().anyMatch(known -> matches(known, given));
    }

    /** Whether the name is that of a section: a part that contains settings. */
    boolean isSection(ConfigurationPropertyName name) {
        List<String> given = elements(name);
        return names.stream()
                .anyMatch(known -> known.size() > given.size()
                        && !known.get(given.size()).equals(INDEX)
                        && matches(known.subList(0, given.size()), given));
    }

    /** Whether an environment variable, in capitals, names a setting. */
    boolean knowsVariable(String variable) {
        return names.stream()
                .anyMatch(known -> variable(known).matcher(variable).matches());
    }

    /** Returns the advice for an unknown name: the name that was probably meant, or the names that exist. */
    String advice(ConfigurationPropertyName name) {
        return "there is no such setting; "
                + nearest(name)
                        .map(known -> "did you mean " + known + "?")
                        .orElseGet(() -> "there are " + String.join(", ", alternatives(elements(name))));
    }

    /** Returns the known name that was probably meant by an unknown one. */
    Optional<String> nearest(ConfigurationPropertyName name) {
        List<String> given = elements(name);
        return names.stream()
                .map(known -> filled(known, given))
                .filter(known -> similar(uniform(known), uniform(String.join(".", given))))
                .min(Comparator.comparingInt(
                        known -> EditDistance.between(uniform(known), uniform(String.join(".", given)))))
                .map(known -> SettingsLoader.PREFIX + "." + known);
    }

    /** Returns the names that are possible from the first unknown element on. */
    private Set<String> alternatives(List<String> given) {
        Set<String> found = new LinkedHashSet<>();
        for (int depth = given.size() - 1; found.isEmpty() && depth >= 0; depth--) {
            for (List<String> known : names) {
                if (known.size() > depth && matches(known.subList(0, depth), given.subList(0, depth))) {
                    found.add(SettingsLoader.PREFIX + "." + filled(known.subList(0, depth + 1), given));
                }
            }
        }
        return found;
    }

    private static boolean matches(List<String> known, List<String> given) {
        for (int i = 0; i < known.size(); i++) {
            String element = known.get(i);
            if (element.equals(REST)) {
                return given.size() > i;
            }
            if (element.equals(INDEX)) {
                return given.size() == i || (given.size() == i + 1 && isNumber(given.get(i)));
            }
            if (i >= given.size() || (!element.equals(ANY) && !uniform(element).equals(uniform(given.get(i))))) {
                return false;
            }
        }
        return given.size() == known.size();
    }

    private static Pattern variable(List<String> known) {
        StringBuilder regex = new StringBuilder(SettingsLoader.PREFIX.toUpperCase(Locale.ROOT));
        for (String element : known) {
            regex.append(
                    switch (element) {
                        case ANY, REST -> "_.+";
                        case INDEX -> "(_\\d+_?)?";
                        default -> "_" + element.toUpperCase(Locale.ROOT).replace("-", "_?");
                    });
        }
        return Pattern.compile(regex.toString());
    }

    private static String filled(List<String> known, List<String> given) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < known.size(); i++) {
            String element = known.get(i);
            String shown = switch (element) {
                case ANY -> i < given.size() ? given.get(i) : "<name>";
                case REST -> i < given.size() ? String.join(".", given.subList(i, given.size())) : "<name>";
                case INDEX -> "";
                default -> element;
            };
            if (!shown.isEmpty()) {
                boolean brackets = element.equals(ANY) && !shown.matches("[A-Za-z0-9-]+|<name>");
                text.append(text.isEmpty() || brackets ? "" : ".");
                text.append(brackets ? "[" + shown + "]" : shown);
            }
        }
        return text.toString();
    }

    private static boolean similar(String known, String given) {
        if (EditDistance.between(known, given) <= Math.max(2, given.length() / 8)) {
            return true;
        }
        int knownDot = known.lastIndexOf('.');
        int givenDot = given.lastIndexOf('.');
        String knownLast = known.substring(knownDot + 1);
        String givenLast = given.substring(givenDot + 1);
        return known.substring(0, knownDot + 1).equals(given.substring(0, givenDot + 1))
                && givenLast.length() >= 3
                && (knownLast.contains(givenLast) || givenLast.contains(knownLast));
    }

    private static List<String> elements(ConfigurationPropertyName name) {
        List<String> elements = new ArrayList<>();
        for (int i = 1; i < name.getNumberOfElements(); i++) {
            elements.add(name.getElement(i, Form.ORIGINAL));
        }
        return elements;
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static String uniform(String text) {
        return text.replace("-", "").toLowerCase(Locale.ROOT);
    }

    static String kebab(String camel) {
        return camel.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static List<String> plus(List<String> list, String last) {
        List<String> longer = new ArrayList<>(list);
        longer.add(last);
        return List.copyOf(longer);
    }
}
