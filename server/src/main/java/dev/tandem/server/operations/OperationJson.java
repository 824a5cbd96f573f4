package dev.tandem.server.operations;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Operations as JSON, as the store keeps them. Servers of later versions may add fields. */
public final class OperationJson {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private OperationJson() {}

    public static String write(Operation operation) {
        return JSON.writeValueAsString(operation);
    }

    public static String write(OperationProgress progress) {
        return JSON.writeValueAsString(progress);
    }

    /** Reads an operation; empty if this version cannot. */
    public static Optional<Operation> operation(String text) {
        try {
            return Optional.of(JSON.readValue(text, Operation.class));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    /** Reads progress; none if there is none, or if this version cannot read it. */
    public static OperationProgress progress(@Nullable String text) {
        try {
            return text == null ? OperationProgress.NONE : JSON.readValue(text, OperationProgress.class);
        } catch (JacksonException e) {
            return OperationProgress.NONE;
        }
    }
}
