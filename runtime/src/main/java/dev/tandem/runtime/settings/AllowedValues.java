package dev.tandem.runtime.settings;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.springframework.core.ResolvableType;
import org.springframework.util.unit.DataSize;

/** Says which values a setting may have, by its type, and which one was probably meant. */
final class AllowedValues {

    private AllowedValues() {}

    /** Returns the end of a sentence about a value that cannot be read. */
    static String describe(ResolvableType target, String given) {
        Class<?> type = target.resolve(Object.class);
        if (Collection.class.isAssignableFrom(type)) {
            Class<?> element = target.asCollection().getGeneric(0).resolve(Object.class);
            return element.isEnum()
                    ? "name " + String.join(", ", names(element)) + meant(given, names(element))
                    : "it must be a list";
        }
        if (type.isEnum()) {
            return "it must be " + String.join(" or ", names(type)) + NearestWord.advice(given, names(type));
        }
        if (type == Duration.class) {
            return "it must be a duration, such as 500ms, 10s, 5m, 1h or PT10S";
        }
        if (type == DataSize.class) {
            return "it must be a size, such as 65536, 512KB or 1MB";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "it must be true or false" + NearestWord.advice(given, List.of("true", "false"));
        }
        if (type == double.class || type == Double.class) {
            return "it must be a number";
        }
        return "it must be a whole number";
    }

    /** Returns the guess for the first word of a list that is not allowed. */
    private static String meant(String list, List<String> allowed) {
        return Arrays.stream(list.split(","))
                .map(String::strip)
                .filter(word -> !allowed.contains(word.toLowerCase(Locale.ROOT).replace('_', '-')))
                .findFirst()
                .map(word -> NearestWord.advice(word, allowed))
                .orElse("");
    }

    private static List<String> names(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(constant -> constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                .toList();
    }
}
