package dev.tandem.server.api;

import dev.tandem.task.Utf8;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/** Bytes as the API shows them: as JSON if they are JSON, else as text if they are UTF-8, else as Base64. */
record ShownBytes(
        @Nullable JsonText json,
        @Nullable String text,
        @Nullable String base64) {

    /** What is not shown. */
    static final ShownBytes NONE = new ShownBytes(null, null, null);

    /**
     * The deepest value that is shown as JSON. Jackson reads and writes 500 levels, in clients too, and a view has some of its
     * own. A deeper value is shown as text.
     */
    private static final int MAX_DEPTH = 490;

    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .build())
            .build();

    static ShownBytes of(byte[] bytes) {
        String text = Utf8.decode(bytes);
        if (text == null) {
            return new ShownBytes(null, null, Base64.getEncoder().encodeToString(bytes));
        }
        boolean isJson = OneJsonValue.mistake(() -> JSON.createParser(text)) == null;
        return isJson ? new ShownBytes(new JsonText(text), null, null) : new ShownBytes(null, text, null);
    }
}
