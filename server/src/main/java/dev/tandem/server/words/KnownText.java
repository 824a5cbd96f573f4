package dev.tandem.server.words;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A text that is recognized: what stands at its places is found by what stands between them.
 *
 * @param own what stands before, between and behind the places
 * @param places the number of the value at each place
 */
record KnownText(String key, List<String> own, List<Integer> places) {

    private static final Pattern PLACE = Pattern.compile("\\{(\\d)}");

    static KnownText of(String key, String text) {
        return new KnownText(
                key,
                List.of(PLACE.split(text, -1)),
                PLACE.matcher(text)
                        .results()
                        .map(place -> Integer.parseInt(place.group(1)))
                        .toList());
    }

    /** Returns how many characters are its own. */
    int ownLength() {
        return own.stream().mapToInt(String::length).sum();
    }

    /** Returns the values at the places; empty if this is another text. Looks at each character once. */
    Optional<List<String>> values(String text) {
        String first = own.get(0);
        String last = own.get(own.size() - 1);
        if (places.isEmpty()) {
            return text.equals(first) ? Optional.of(List.of()) : Optional.empty();
        } else if (!text.startsWith(first) || !text.endsWith(last)) {
            return Optional.empty();
        }
        String[] values = new String[places.size()];
        int from = first.length();
        int end = text.length() - last.length();
        for (int i = 0; i < values.length; i++) {
            int to = i == values.length - 1 ? end : text.indexOf(own.get(i + 1), from);
            if (to <= from || to > end) {
                return Optional.empty();
            }
            values[places.get(i)] = text.substring(from, to);
            from = to + own.get(i + 1).length();
        }
        return Optional.of(List.of(values));
    }
}
