package dev.tandem.runtime.masking;

import dev.tandem.runtime.settings.MaskPointer;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Replaces the values that JSON pointers name. Everything else stays as it is written, except for blanks between values. Immutable.
 */
public final class JsonMask {

    /** The text that is shown in place of a value. */
    public static final String HIDDEN = "***";

    private static final JsonMapper JSON =
            JsonMapper.builder(JsonFactory.builder().build()).build();

    /** The most values of one payload that are looked for elsewhere. */
    private static final int MOST_VALUES = 1_000;

    private final List<List<String>> pointers;

    /** @param pointers as {@code tandem.queues.<name>.mask} has them */
    public JsonMask(List<String> pointers) {
        this.pointers = pointers.stream().map(MaskPointer::segments).toList();
    }

    /** An object or an array that is being read, and the pointers that lead into it. */
    private static final class Level {
        final List<List<String>> leading;
        final boolean array;
        int index = -1;

        Level(List<List<String>> leading, boolean array) {
            this.leading = leading;
            this.array = array;
        }
    }

    /** Whether a value would be replaced, or the text is no object and no array, so that nothing of it is known. */
    public boolean hides(String text) {
        String masked = apply(text);
        return masked == null || !masked.equals(new JsonMask(List.of()).apply(text));
    }

    /** Returns the JSON with the values replaced; null if the text is no object and no array, so that nothing of it is known. */
    public @Nullable String apply(String text) {
        StringWriter masked = new StringWriter(text.length());
        try (JsonParser in = JSON.createParser(text);
                JsonGenerator out = JSON.createGenerator(masked)) {
            if (!walk(in, out, null)) {
                return null;
            }
        } catch (JacksonException e) {
            return null; // Its message may have a part of the payload.
        }
        return masked.toString();
    }

    /**
     * Reads the whole text. Returns false if it is no object and no array.
     *
     * @param out gets the text with the values replaced; null for nobody
     * @param hidden gets the values; null for nobody
     */
    private boolean walk(JsonParser in, @Nullable JsonGenerator out, @Nullable Collection<String> hidden) {
        JsonToken first = in.nextToken();
        if (first == null || !first.isStructStart()) {
            return false;
        }
        copy(in, out, first, hidden);
        return in.nextToken() == null;
    }

    /**
     * Finds the texts of the values that are to be replaced, as far as there are not too many. It does not look into what no pointer
     * leads into.
     *
     * @return false if the text is no object and no array, so that nothing of it is known
     */
    boolean find(String text, Collection<String> hidden) {
        try (JsonParser in = JSON.createParser(text)) {
            return walk(in, null, hidden);
        } catch (JacksonException e) {
            return false; // Its message may have a part of the payload.
        }
    }

    /** Whether so many values were replaced that some may be missing. */
    static boolean isFull(Collection<String> hidden) {
        return hidden.size() >= MOST_VALUES;
    }

    private void copy(
            JsonParser in, @Nullable JsonGenerator out, JsonToken first, @Nullable Collection<String> hidden) {
        Deque<Level> levels = new ArrayDeque<>();
        levels.push(new Level(pointers, first == JsonToken.START_ARRAY));
        copyEvent(in, out);
        String member = "";
        while (!levels.isEmpty()) {
            JsonToken token = in.nextToken();
            Level level = levels.element();
            if (token == JsonToken.PROPERTY_NAME) {
                member = in.currentName();
                copyEvent(in, out);
            } else if (token.isStructEnd()) {
                levels.pop();
                copyEvent(in, out);
            } else {
                value(in, out, hidden, levels, level.array ? Integer.toString(++level.index) : member);
            }
        }
    }

    private static void value(
            JsonParser in,
            @Nullable JsonGenerator out,
            @Nullable Collection<String> hidden,
            Deque<Level> levels,
            String segment) {
        JsonToken token = in.currentToken();
        Level level = levels.element();
        int depth = levels.size() - 1;
        List<List<String>> leading = new ArrayList<>(level.leading.size());
        for (List<String> pointer : level.leading) {
            boolean fits = depth < pointer.size()
                    && (pointer.get(depth).equals(MaskPointer.ANY)
                            || pointer.get(depth).equals(segment));
            if (fits && depth == pointer.size() - 1) {
                skip(in, hidden);
                if (out != null) {
                    out.writeString(HIDDEN);
                }
                return;
            }
            if (fits) {
                leading.add(pointer);
            }
        }
        if (out == null && leading.isEmpty()) {
            in.skipChildren();
            return;
        }
        copyEvent(in, out);
        if (token.isStructStart()) {
            levels.push(new Level(leading, token == JsonToken.START_ARRAY));
        }
    }

    private static void copyEvent(JsonParser in, @Nullable JsonGenerator out) {
        if (out != null && in.currentToken().isNumeric()) {
            out.writeNumber(in.getString()); // as it is written: Jackson would make 1E+400 of 1e400
        } else if (out != null) {
            out.copyCurrentEventExact(in);
        }
    }

    /** Passes over a value, and keeps the texts in it. */
    private static void skip(JsonParser in, @Nullable Collection<String> hidden) {
        if (hidden == null) {
            in.skipChildren();
            return;
        }
        int depth = 0;
        JsonToken token = in.currentToken();
        while (true) {
            if (token.isStructStart()) {
                depth++;
            } else if (token.isStructEnd()) {
                depth--;
            } else if ((token == JsonToken.VALUE_STRING || token.isNumeric()) && !isFull(hidden)) {
                hidden.add(in.getString());
            }
            if (depth == 0) {
                return;
            }
            token = in.nextToken();
        }
    }
}
