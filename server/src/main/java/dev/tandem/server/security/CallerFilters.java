package dev.tandem.server.security;

import jakarta.servlet.Filter;
import java.util.List;
import java.util.stream.Stream;

/** Those who find out who calls, in the order in which they are asked. */
record CallerFilters(List<Filter> filters) {

    /** Returns the paths that need no login. Others below them do: who may ask is decided by the path there. */
    static String[] openPaths(String endpoints, boolean openMetrics) {
        Stream<String> health =
                Stream.of("/health", "/health/liveness", "/health/readiness").map(endpoints::concat);
        return (openMetrics ? Stream.concat(health, Stream.of(endpoints + "/prometheus")) : health)
                .toArray(String[]::new);
    }
}
