package dev.tandem.executor;

import dev.tandem.api.UnreadablePayloadException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JacksonException.Reference;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.exc.ValueInstantiationException;

/** The reason why a payload does not fit a type, with the fields' names and without anything that the payload contains. */
public final class PayloadProblem {

    private PayloadProblem() {}

    /** Returns the exception for a payload of this length. */
    public static UnreadablePayloadException of(Class<?> type, int length, JacksonException problem) {
        return new UnreadablePayloadException(type, length, reason(length, problem), problem);
    }

    private static String reason(int length, JacksonException problem) {
        if (length == 0) {
            return "it is empty";
        }
        if (problem instanceof StreamReadException) {
            TokenStreamLocation where = problem.getLocation();
            return "it is not JSON"
                    + (where == null ? "" : ", see line " + where.getLineNr() + ", column " + where.getColumnNr());
        }
        String what = what(problem);
        if (problem instanceof UnrecognizedPropertyException unknown) {
            return what + " has a field that "
                    + Objects.requireNonNullElse(unknown.getReferringClass(), Object.class)
                            .getSimpleName() + " does not have";
        }
        if (problem instanceof ValueInstantiationException) {
            Throwable cause = problem.getCause();
            return "the constructor refuses " + what
                    + (cause == null ? "" : " with " + cause.getClass().getName());
        }
        Class<?> wanted = problem instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null;
        return what + " does not fit" + (wanted == null ? "" : " " + wanted.getSimpleName());
    }

    /** Returns the place of the problem, such as {@code lines[2].price}. The keys of a map are content. */
    private static String what(JacksonException problem) {
        StringBuilder path = new StringBuilder();
        int last = problem.getPath().size() - (problem instanceof UnrecognizedPropertyException ? 1 : 0);
        for (Reference each : problem.getPath().subList(0, Math.max(0, last))) {
            String name = each.getPropertyName();
            if (name == null) {
                path.append('[').append(each.getIndex()).append(']');
            } else if (isMap(each.from())) {
                path.append("[a key]");
            } else {
                path.append(path.length() == 0 ? "" : ".").append(name);
            }
        }
        return path.length() == 0 ? "it" : "'" + path + "'";
    }

    private static boolean isMap(@Nullable Object from) {
        return from == null || from instanceof Map || from instanceof Class<?> type && Map.class.isAssignableFrom(type);
    }
}
