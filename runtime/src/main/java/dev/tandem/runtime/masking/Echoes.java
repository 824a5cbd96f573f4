package dev.tandem.runtime.masking;

import dev.tandem.task.Utf8;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Hides what errors and results repeat of a payload that is masked. In an error the masked values are looked for; if the payload is
 * not known, or no JSON, nobody can tell, and the whole error is hidden. In a result the pointers hide what they hide in a payload. Used
 * by one thread.
 */
public final class Echoes {

    /** Shorter values are not looked for: they are everywhere. */
    private static final int SHORTEST = 3;

    private static final Echoes NONE = new Echoes(List.of(), () -> null);

    private final @Nullable JsonMask pointers;
    private final Supplier<byte @Nullable []> payload;

    /** Whether the payload has been searched for values. */
    private boolean hasLooked;

    /** The values that are looked for in errors, the longest first; null if they are not known. */
    private @Nullable List<String> values;

    private Echoes(List<String> mask, Supplier<byte @Nullable []> payload) {
        this.pointers = mask.isEmpty() ? null : new JsonMask(mask);
        this.payload = payload;
    }

    /**
     * Returns those of one task.
     *
     * @param mask the pointers of its queue; empty if nothing is masked
     * @param payload is asked once, and only if there is an error to hide something in: to look into it takes a while, and a page has
     *     many tasks. Null if it is not known
     */
    public static Echoes of(List<String> mask, Supplier<byte @Nullable []> payload) {
        return mask.isEmpty() ? NONE : new Echoes(mask, payload);
    }

    private @Nullable List<String> values(JsonMask mask) {
        if (!hasLooked) {
            hasLooked = true;
            byte[] bytes = payload.get();
            String text = bytes == null ? null : Utf8.decode(bytes);
            Set<String> hidden = new LinkedHashSet<>();
            values = text != null && mask.find(text, hidden) && !JsonMask.isFull(hidden) ? written(hidden) : null;
        }
        return values;
    }

    /** Returns each value in the ways in which texts may have it. */
    private static List<String> written(Set<String> hidden) {
        Set<String> all = new LinkedHashSet<>();
        for (String value : hidden) {
            if (value.length() >= SHORTEST) {
                String json = JsonMapper.shared().writeValueAsString(value);
                all.add(value);
                all.add(json.substring(1, json.length() - 1));
                all.add(URLEncoder.encode(value, StandardCharsets.UTF_8));
            }
        }
        List<String> longestFirst = new ArrayList<>(all);
        longestFirst.sort(Comparator.comparingInt(String::length).reversed());
        return longestFirst;
    }

    /** Returns an error without what is masked. */
    public @Nullable String hide(@Nullable String error) {
        if (error == null || pointers == null) {
            return error;
        }
        List<String> sought = values(pointers);
        if (sought == null) {
            return JsonMask.HIDDEN;
        }
        String left = error;
        for (String value : sought) {
            left = left.replace(value, JsonMask.HIDDEN);
        }
        return left;
    }

    /** Returns a result, as JSON, without what is masked. One that is no object and no array is hidden as a whole. */
    public String result(String json) {
        if (pointers == null) {
            return json;
        }
        String masked = pointers.apply(json);
        return masked == null ? "\"" + JsonMask.HIDDEN + "\"" : masked;
    }
}
