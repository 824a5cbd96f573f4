package dev.tandem.server.words;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.MissingResourceException;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The texts of one file in one language. Immutable. */
public final class Texts {

    private static final Pattern PLACE = Pattern.compile("\\{(\\d{1,2})}");

    private final ResourceBundle bundle;

    private Texts(ResourceBundle bundle) {
        this.bundle = bundle;
    }

    /** Returns the texts of a file in each language. @param name that of the file, such as {@code dev.tandem.server.words.words} */
    public static Map<Language, Texts> all(String name) {
        Map<Language, Texts> all = new EnumMap<>(Language.class);
        for (Language language : Language.values()) {
            // The language of this machine counts for nothing.
            all.put(
                    language,
                    new Texts(ResourceBundle.getBundle(
                            name,
                            language == Language.EN ? Locale.ROOT : language.locale(),
                            Texts.class.getClassLoader(),
                            ResourceBundle.Control.getNoFallbackControl(ResourceBundle.Control.FORMAT_PROPERTIES))));
        }
        return all;
    }

    /**
     * Returns a text, with {@code {0}} and so on replaced.
     *
     * @throws MissingResourceException if there is no such text
     */
    public String get(String key, Object... values) {
        return PLACE.matcher(bundle.getString(key)).replaceAll(place -> {
            int index = Integer.parseInt(place.group(1));
            return Matcher.quoteReplacement(index < values.length ? String.valueOf(values[index]) : place.group());
        });
    }

    public boolean has(String key) {
        return bundle.containsKey(key);
    }

    /** Returns the keys that begin so, in order. */
    Set<String> keys(String begin) {
        Set<String> keys = new TreeSet<>();
        bundle.keySet().stream().filter(key -> key.startsWith(begin)).forEach(keys::add);
        return keys;
    }

    /** Returns a text as it is in the file. */
    String raw(String key) {
        return bundle.getString(key);
    }
}
