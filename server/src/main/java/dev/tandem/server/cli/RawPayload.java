package dev.tandem.server.cli;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.POJONode;
import tools.jackson.databind.util.RawValue;

/**
 * Keeps the payload in an answer as the server wrote it. A parsed payload would be printed in another form: without its
 * spaces, and with 1E+400 for 1e400.
 */
final class RawPayload {

    private static final String FIELD = "payload";

    private RawPayload() {}

    /** Parses an answer. A payload at its top becomes a node that is printed as it is. */
    static JsonNode parse(byte[] body) {
        JsonNode answer = ApiClient.JSON.readTree(body);
        if (answer instanceof ObjectNode object && object.has(FIELD)) {
            object.putRawValue(FIELD, new RawValue(cut(body)));
        }
        return answer;
    }

    /** Returns the text of a node: of a payload as it was written, else as JSON. */
    static String text(JsonNode value) {
        return value instanceof POJONode node && node.getPojo() instanceof RawValue raw
                ? String.valueOf(raw.rawValue())
                : value.toString();
    }

    private static String cut(byte[] body) {
        try (JsonParser parser = ApiClient.JSON.createParser(body)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean found = parser.currentName().equals(FIELD);
                parser.nextToken();
                long start = parser.currentTokenLocation().getByteOffset();
                parser.skipChildren();
                // The end is known once a lazily read string is finished.
                parser.finishToken();
                if (found) {
                    int end = (int) parser.currentLocation().getByteOffset();
                    return new String(Arrays.copyOfRange(body, (int) start, end), StandardCharsets.UTF_8).strip();
                }
            }
        }
        throw new IllegalStateException("The answer has a payload that cannot be found");
    }
}
