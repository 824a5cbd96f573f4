package dev.tandem.executor;

import dev.tandem.api.UnreadablePayloadException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Reads payloads as JSON. Thread-safe. */
record PayloadReader(JsonMapper json) {

    /** @throws UnreadablePayloadException if the payload is not JSON that fits the type */
    <T> T read(byte[] payload, Class<T> type) {
        try {
            return json.readValue(payload, type);
        } catch (JacksonException e) {
            throw new UnreadablePayloadException(type, payload.length, e);
        }
    }
}
