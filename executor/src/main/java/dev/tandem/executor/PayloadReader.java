package dev.tandem.executor;

import dev.tandem.api.CheckpointException;
import dev.tandem.api.UnreadableCheckpointException;
import dev.tandem.api.UnreadablePayloadException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Reads payloads as JSON, and reads and writes checkpoints. Thread-safe. */
record PayloadReader(JsonMapper json) {

    /** @throws UnreadablePayloadException if the payload is not JSON that fits the type */
    <T> T read(byte[] payload, Class<T> type) {
        try {
            return json.readValue(payload, type);
        } catch (JacksonException e) {
            throw PayloadProblem.of(type, payload.length, e);
        }
    }

    /**
     * Reads a checkpoint: {@code byte[]} as it is, any other class from JSON.
     *
     * @throws UnreadableCheckpointException if the checkpoint is not JSON that fits the type
     */
    <T> T readCheckpoint(byte[] checkpoint, Class<T> type) {
        if (type == byte[].class) {
            return type.cast(checkpoint);
        }
        try {
            return json.readValue(checkpoint, type);
        } catch (JacksonException e) {
            throw new UnreadableCheckpointException(type, checkpoint.length, e);
        }
    }

    /** @throws CheckpointException if the value cannot be written as JSON */
    byte[] writeCheckpoint(Object value) {
        if (value instanceof byte[] bytes) {
            return bytes;
        }
        try {
            return json.writeValueAsBytes(value);
        } catch (JacksonException e) {
            throw new CheckpointException("A checkpoint of " + value.getClass() + " cannot be written as JSON", e);
        }
    }
}
