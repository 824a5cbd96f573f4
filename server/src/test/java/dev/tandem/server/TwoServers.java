package dev.tandem.server;

import java.util.LinkedHashMap;
import java.util.Map;

/** A server that runs the tasks of its queues, another one that runs none, and the endpoint of their handlers. */
final class TwoServers implements AutoCloseable {

    private final RecordingEndpoint endpoint;
    /** Runs the tasks. */
    final RunningServer executor;
    /** Runs none. */
    final RunningServer asked;

    /** Starts both, and waits until the tasks are run. They close the endpoint. */
    TwoServers(RecordingEndpoint endpoint, Map<String, String> settings) {
        this(endpoint, settings, Map.of());
    }

    /** Starts both. @param more settings of the server that runs no tasks */
    TwoServers(RecordingEndpoint endpoint, Map<String, String> settings, Map<String, String> more) {
        this.endpoint = endpoint;
        executor = new RunningServer(settings);
        Map<String, String> without = new LinkedHashMap<>(settings);
        without.putAll(more);
        without.put("tandem.executor.enabled", "false");
        asked = new RunningServer(without);
        executor.awaitHealth();
    }

    @Override
    public void close() {
        asked.close();
        executor.close();
        endpoint.close();
    }
}
