package dev.tandem.server.masking;

import dev.tandem.runtime.settings.MaskPointer;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/** Replaces the values that JSON pointers name. Everything else stays as it is written, except for blanks between values. */
final class JsonMask {

    private static final JsonMapper JSON =
            JsonMapper.builder(JsonFactory.builder().build()).build();

    private final List<List<String>> pointers;

    JsonMask(List<String> pointers) {
        this.pointers = pointers.stream().map(MaskPointer::segments).toList();
    }

    /** What is being read: an object or an array, and the pointers that lead into it. */
    private static final class Level {
        final List<List<String>> leading;
        final boolean array;
        int index = -1;

        Level(List<List<String>> leading, boolean array) {
            this.leading = leading;
            this.array = array;
        }
    }

    /** Returns the JSON with the values replaced; null if the text is no object and no array, so that nothing of it is known. */
    @Nullable
    String apply(String text) {
        StringWriter masked = new StringWriter(text.length());
        try (JsonParser in = JSON.createParser(text);
                JsonGenerator out = JSON.createGenerator(masked)) {
            JsonToken first = in.nextToken();
            if (first == null || !first.isStructStart()) {
                return null;
            }
            copy(in, out, first);
            if (in.nextToken() != null) {
                return null;
            }
        } catch (JacksonException e) {
            return null; // Its message may have a part of the payload.
        }
        return masked.toString();
    }

    private void copy(JsonParser in, JsonGenerator out, JsonToken first) {
        Deque<Level> levels = new ArrayDeque<>();
        levels.push(new Level(pointers, first == JsonToken.START_ARRAY));
        out.copyCurrentEventExact(in);
        String member = "";
        while (!levels.isEmpty()) {
            JsonToken token = in.nextToken();
            Level level = levels.element();
            if (token == JsonToken.PROPERTY_NAME) {
                member = in.currentName();
                out.copyCurrentEventExact(in);
            } else if (token.isStructEnd()) {
                levels.pop();
                out.copyCurrentEventExact(in);
            } else {
                value(in, out, token, levels, level.array ? Integer.toString(++level.index) : member);
            }
        }
    }

    private static void value(JsonParser in, JsonGenerator out, JsonToken token, Deque<Level> levels, String segment) {
        Level level = levels.element();
        int depth = levels.size() - 1;
        List<List<String>> leading = new ArrayList<>(level.leading.size());
        for (List<String> pointer : level.leading) {
            boolean fits = depth < pointer.size()
                    && (pointer.get(depth).equals(MaskPointer.ANY)
                            || pointer.get(depth).equals(segment));
            if (fits && depth == pointer.size() - 1) {
                in.skipChildren();
                out.writeString(PayloadMasks.HIDDEN);
                return;
            }
            if (fits) {
                leading.add(pointer);
            }
        }
        if (token.isNumeric()) {
            out.writeNumber(in.getString()); // as it is written: Jackson would make 1E+400 of 1e400
        } else {
            out.copyCurrentEventExact(in);
        }
        if (token.isStructStart()) {
            levels.push(new Level(leading, token == JsonToken.START_ARRAY));
        }
    }
}
