package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import java.util.Map;

/** The queues in this server's settings. */
record ConfiguredQueues(Map<String, QueueSettings> all) {

    /** @throws ApiException with status 404 if there is no such queue */
    QueueSettings get(String name) {
        QueueSettings found = all.get(name);
        if (found == null) {
            throw ApiException.notFound(
                    "There is no queue '" + name + "'",
                    "This server's settings have " + String.join(", ", all.keySet()));
        }
        return found;
    }
}
