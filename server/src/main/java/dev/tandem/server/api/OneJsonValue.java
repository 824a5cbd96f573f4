package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.TokenStreamLocation;

/** Looks whether something is exactly one JSON value. */
final class OneJsonValue {

    private OneJsonValue() {}

    /** Returns where something is not; null if it is. It tells nothing of the content. @param opened reads it from its beginning */
    static @Nullable Sentence mistake(Supplier<JsonParser> opened) {
        try (JsonParser parser = opened.get()) {
            boolean any = parser.nextToken() != null;
            parser.skipChildren();
            parser.finishToken();
            return any && parser.nextToken() == null ? null : Sentence.of("json.not-one");
        } catch (JacksonException e) {
            // What is read within bounds, such as the depth, has no place.
            TokenStreamLocation at = e.getLocation();
            return at == null
                    ? Sentence.of("json.bounds")
                    : Sentence.of("json.place", at.getLineNr(), at.getColumnNr());
        }
    }
}
