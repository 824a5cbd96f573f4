package dev.tandem.server.handlers;

import dev.tandem.executor.Handler;
import dev.tandem.executor.Result;
import dev.tandem.server.settings.HostedTypes;
import dev.tandem.server.settings.QueueSettings;
import java.net.http.HttpClient;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes each queue's handlers. Nothing calls an address unless the queue's settings name it. Used by one thread. */
public final class HostedHandlers {

    private final boolean logPayloads;
    private final Map<String, Handler> more;
    private @Nullable HttpClient client;

    /**
     * @param logPayloads whether {@code log} prints payloads
     * @param more further handlers by type, for every queue
     */
    public HostedHandlers(boolean logPayloads, Map<String, Handler> more) {
        this.logPayloads = logPayloads;
        this.more = Map.copyOf(more);
    }

    /** By type: {@code log}, {@code noop}, {@code http} where there is a URL, and what else there is. */
    public Map<String, Handler> of(QueueSettings queue) {
        Map<String, Handler> handlers = new LinkedHashMap<>();
        handlers.put(HostedTypes.LOG, new LogHandler(logPayloads));
        handlers.put(HostedTypes.NOOP, task -> Result.done());
        if (queue.http().url() != null) {
            if (client == null) {
                client = HttpHandler.client();
            }
            handlers.put(HostedTypes.HTTP, new HttpHandler(client, queue.http(), InstantSource.system()));
        }
        handlers.putAll(more);
        return handlers;
    }
}
