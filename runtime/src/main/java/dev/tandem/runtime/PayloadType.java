package dev.tandem.runtime;

import dev.tandem.api.BatchHandler;
import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.TypedBatchHandler;
import dev.tandem.api.TypedHandler;
import dev.tandem.api.UnreadablePayloadException;
import dev.tandem.executor.PayloadProblem;
import dev.tandem.executor.ReadBatch;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads payloads for typed handlers: as they are for {@code byte[]}, as UTF-8 text for {@link String}, and as JSON for any
 * other type. Thread-safe.
 *
 * @param <T> the type
 */
public final class PayloadType<T> {

    private final JsonMapper json;
    private final JavaType type;

    /** @param json reads what is neither bytes nor text */
    public PayloadType(JsonMapper json, JavaType type) {
        this.json = json;
        this.type = type;
    }

    /**
     * Checks that some payload can be read. Reads an empty object, which tells apart what can never be read, and what only
     * needs other JSON.
     *
     * @throws IllegalArgumentException if no payload can; the message says what to do
     */
    public void check() {
        if (type.hasRawClass(byte[].class) || type.hasRawClass(String.class)) {
            return;
        }
        try {
            json.readValue("{}", type);
        } catch (InvalidDefinitionException e) {
            throw new IllegalArgumentException(
                    "no payload can be read as " + type.toCanonical() + ": " + e.getOriginalMessage()
                            + ". Use a record, or a class that Jackson can make",
                    e);
        } catch (JacksonException e) {
            // This one needs more than an empty object.
        }
    }

    /** Returns the handler that reads each payload before it runs {@code code}. */
    Handler handler(TypedHandler<T> code) {
        return task -> {
            code.handle(read(task.payload()), task);
            return Result.done();
        };
    }

    /** Returns the batch handler that reads each payload before it runs {@code code} with those that can be read. */
    BatchHandler batchHandler(TypedBatchHandler<T> code) {
        return tasks -> ReadBatch.of(tasks, this::read).run((payloads, read) -> {
            code.handle(payloads, read);
            return ReadBatch.allDone(read.size());
        });
    }

    /** @throws UnreadablePayloadException if the payload is not JSON that fits the type */
    @SuppressWarnings("unchecked") // the type is T
    public T read(byte[] payload) {
        if (type.hasRawClass(byte[].class)) {
            return (T) payload;
        }
        if (type.hasRawClass(String.class)) {
            return (T) new String(payload, StandardCharsets.UTF_8);
        }
        try {
            T value = json.readValue(payload, type);
            if (value == null) {
                throw new UnreadablePayloadException(
                        type.getRawClass(),
                        payload.length,
                        "it is null",
                        new IllegalArgumentException("The JSON is null"));
            }
            return value;
        } catch (JacksonException e) {
            throw PayloadProblem.of(type.getRawClass(), payload.length, e);
        }
    }
}
