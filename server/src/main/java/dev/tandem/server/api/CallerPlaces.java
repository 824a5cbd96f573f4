package dev.tandem.server.api;

import dev.tandem.server.access.Caller;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The places for requests that take long: so many in all, and fewer for each caller, so that none can hold all of them. Thread-safe.
 */
final class CallerPlaces {

    private final int most;
    private final int mostOfCaller;
    private final Map<String, Integer> taken = new HashMap<>();
    private int all;

    CallerPlaces(int most, int mostOfCaller) {
        this.most = most;
        this.mostOfCaller = mostOfCaller;
    }

    /**
     * Takes a place, to be left by {@link #leave}. Whoever calls a server without login may be anybody, and has no bound of their own.
     *
     * @param what is done there, in the plural
     * @throws ApiException if there is none
     */
    synchronized void take(HttpServletRequest request, String what) {
        String caller = caller(request);
        if (caller != null && taken.getOrDefault(caller, 0) >= mostOfCaller) {
            throw ProblemType.BUSY.refusal(
                    "The server works on " + mostOfCaller + " " + what + " of this caller already",
                    "Send one after the other, or ask another server too");
        } else if (all >= most) {
            throw ProblemType.BUSY.refusal(
                    "The server works on " + most + " " + what + " already",
                    "Try again in a second, or ask another server");
        }
        all++;
        if (caller != null) {
            taken.merge(caller, 1, Integer::sum);
        }
    }

    synchronized void leave(HttpServletRequest request) {
        all--;
        String caller = caller(request);
        if (caller != null) {
            taken.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
        }
    }

    private static @Nullable String caller(HttpServletRequest request) {
        Caller caller = Callers.of(request);
        return caller == null || caller.by() == Caller.By.NOTHING ? null : caller.identity();
    }
}
