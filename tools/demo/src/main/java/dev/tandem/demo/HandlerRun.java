package dev.tandem.demo;

import dev.tandem.demo.DemoEvent.Kind;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One run of the demo handler, in epoch microseconds.
 *
 * @param end {@link Long#MAX_VALUE} if its end was not logged; the time of the kill in the killed process
 * @param outcome null if its end was not logged
 */
record HandlerRun(
        DemoTask task,
        String executor,
        long start,
        long end,
        @Nullable Kind outcome,
        long token) {

    static final Comparator<HandlerRun> BY_START = Comparator.comparingLong(HandlerRun::start);
}
