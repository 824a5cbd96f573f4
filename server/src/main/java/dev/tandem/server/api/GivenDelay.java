package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import dev.tandem.task.LogText;
import dev.tandem.task.TaskHeaders;
import org.jspecify.annotations.Nullable;

/** Checks delays that callers give. In a message, a delay of less than zero means none; here it is a mistake of the caller. */
final class GivenDelay {

    static final Sentence REMEDY = Sentence.of("remedy.delay");

    private static final int MAX_SHOWN = 80;

    private GivenDelay() {}

    /** @throws ApiException if the parameter {@code delay} is less than zero */
    static void refuseNegative(@Nullable String delay) {
        if (delay != null && TaskHeaders.isNegativeDelay(delay)) {
            throw ApiException.parameter("delay", detail(delay), REMEDY);
        }
    }

    static Sentence detail(String delay) {
        return Sentence.of("problem.negative-delay", LogText.oneLine(delay, MAX_SHOWN));
    }
}
