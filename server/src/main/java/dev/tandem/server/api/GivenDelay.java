package dev.tandem.server.api;

import dev.tandem.task.LogText;
import dev.tandem.task.TaskHeaders;
import org.jspecify.annotations.Nullable;

/** Checks delays that callers give. In a message, a delay of less than zero means none; here it is a mistake of the caller. */
final class GivenDelay {

    static final String REMEDY = "Use 0 for now, or a delay such as 30s";

    private static final int MAX_SHOWN = 80;

    private GivenDelay() {}

    /** @throws ApiException if the parameter {@code delay} is less than zero */
    static void refuseNegative(@Nullable String delay) {
        if (delay != null && TaskHeaders.isNegativeDelay(delay)) {
            throw ApiException.parameter("delay", detail(delay), REMEDY);
        }
    }

    static String detail(String delay) {
        return "The delay is '" + LogText.oneLine(delay, MAX_SHOWN) + "', which is less than zero";
    }
}
