package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.Secrets;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.UnavailableException;
import java.util.Map;

/**
 * The queues in this server's settings.
 *
 * @param inspection knows which other queues live executors run
 */
record ConfiguredQueues(TandemSettings settings, Inspection inspection) {

    Map<String, QueueSettings> all() {
        return settings.queues();
    }

    /** @throws ApiException with status 404 if there is no such queue */
    QueueSettings get(String name) {
        QueueSettings found = all().get(name);
        if (found != null) {
            return found;
        }
        String known = "This server's settings have " + String.join(", ", all().keySet());
        throw isRun(name)
                ? ProblemType.UNKNOWN_QUEUE.refusal(
                        "Executors run the queue '" + name + "', but this server's settings do not have it",
                        known + ". " + howToShow(name))
                : ProblemType.UNKNOWN_QUEUE.refusal("There is no queue '" + name + "'", known);
    }

    private boolean isRun(String name) {
        try {
            return inspection.handlers().containsKey(name);
        } catch (UnavailableException e) {
            return false;
        }
    }

    /** Says how the API can show a queue that somebody else runs. Executors do not announce where its tasks come from. */
    private String howToShow(String name) {
        String setting = name.matches("[A-Za-z0-9-]+") ? "." + name + "." : "[" + name + "].";
        String namespace = settings.redis().namespace();
        return "To see it, start './tandem up --queue " + name + "' instead of './tandem up', or beside this server "
                + "./tandem server --server.port=8090 --tandem.executor.enabled=false '--tandem.queues" + setting
                + "source=kafka' '--tandem.kafka.bootstrap-servers="
                + settings.kafka().bootstrapServers() + "' '--tandem.redis.uri="
                + Secrets.masked(settings.redis().uri()) + "'"
                + (settings.redis().cluster() ? " --tandem.redis.cluster=true" : "")
                + (namespace.equals("tandem") ? "" : " '--tandem.redis.namespace=" + namespace + "'")
                + ", and name that with --server http://127.0.0.1:8090. For a queue on RabbitMQ, write --queue rabbit:"
                + name + ", or source=rabbit and --tandem.rabbit.uri";
    }
}
