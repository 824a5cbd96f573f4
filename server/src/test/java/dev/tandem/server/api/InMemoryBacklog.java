package dev.tandem.server.api;

import dev.tandem.server.inspect.Backlog;
import java.util.Map;

/** A backlog of one queue, unless a test says otherwise. Its lags are as old as those that servers remember for a second. */
final class InMemoryBacklog implements Backlog {

    @Override
    public Map<String, Long> of(String queue) {
        return ApiTestBase.PLATFORM.lags.getOrDefault(queue, OrdinaryPlatform.LAGS.getOrDefault(queue, Map.of()));
    }

    @Override
    public Map<String, Long> settled(String queue) {
        return queue.equals("orders") ? Map.of("0", 80L) : Map.of();
    }
}
