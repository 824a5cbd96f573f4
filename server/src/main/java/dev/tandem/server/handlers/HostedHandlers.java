package dev.tandem.server.handlers;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.runtime.settings.HostedTypes;
import dev.tandem.runtime.settings.QueueSettings;
import java.net.http.HttpClient;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates the handlers of each queue. Only URLs from the queue's settings are ever called. Not thread-safe. */
public final class HostedHandlers {

    private final boolean logPayloads;
    private final Map<String, Handler> more;
    private @Nullable HttpClient client;

    /**
     * @param logPayloads whether {@code log} prints payloads
     * @param more additional handlers by type, for every queue
     */
    public HostedHandlers(boolean logPayloads, Map<String, Handler> more) {
        this.logPayloads = logPayloads;
        this.more = Map.copyOf(more);
    }

    /**
     * Returns a queue's handlers by type: the one that it names, {@code http} if it has a URL, and the additional ones. A
     * publisher chooses among these only.
     *
     * @param slowsDown whether the queue has rate limits, which {@code http} pauses when it is told to slow down
     */
    public Map<String, Handler> of(QueueSettings queue, boolean slowsDown) {
        Map<String, Handler> handlers = new LinkedHashMap<>();
        if (HostedTypes.LOG.equals(queue.handler())) {
            handlers.put(HostedTypes.LOG, new LogHandler(logPayloads));
        }
        if (HostedTypes.NOOP.equals(queue.handler())) {
            handlers.put(HostedTypes.NOOP, task -> Result.done());
        }
        if (queue.http().url() != null) {
            if (client == null) {
                client = HttpHandler.client();
            }
            handlers.put(HostedTypes.HTTP, new HttpHandler(client, queue.http(), InstantSource.system(), slowsDown));
        }
        handlers.putAll(more);
        return handlers;
    }
}
