package dev.tandem.server.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;

/**
 * A JSON value as it was written, with its spaces and the form of its numbers. A parsed value would be written in another
 * form: 1e400 would become 1E+400.
 *
 * @param text the value in JSON
 */
@JsonDeserialize(using = JsonText.Reader.class)
@JsonSerialize(using = JsonText.Writer.class)
public record JsonText(String text) {

    byte[] bytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Writes the text as it is. */
    static final class Writer extends ValueSerializer<JsonText> {

        @Override
        public void serialize(JsonText value, JsonGenerator json, SerializationContext context) {
            json.writeRawValue(value.text());
        }
    }

    /** Reads a value that is part of a larger one, by cutting it out of the bytes that are parsed. */
    static final class Reader extends ValueDeserializer<JsonText> {

        @Override
        public JsonText deserialize(JsonParser parser, DeserializationContext context) {
            long start = parser.currentTokenLocation().getByteOffset();
            parser.skipChildren();
            // The end is known once a lazily read string is finished.
            parser.finishToken();
            long end = parser.currentLocation().getByteOffset();
            byte[] source = (byte[]) context.getAttribute(Reader.class);
            if (source == null || start < 0 || end > source.length) {
                return context.reportInputMismatch(this, "the encoding must be UTF-8");
            }
            byte[] value = Arrays.copyOfRange(source, (int) start, (int) end);
            return new JsonText(new String(value, StandardCharsets.UTF_8).strip());
        }

        @Override
        public JsonText getNullValue(DeserializationContext context) {
            return new JsonText("null");
        }

        @Override
        public @Nullable Object getAbsentValue(DeserializationContext context) {
            return null;
        }
    }
}
