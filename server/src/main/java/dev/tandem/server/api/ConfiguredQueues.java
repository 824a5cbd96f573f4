package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.Secrets;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.Sentence;
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
        Sentence known = Sentence.of("remedy.queues", String.join(", ", all().keySet()));
        throw isRun(name)
                ? ProblemType.UNKNOWN_QUEUE.refusal(
                        Sentence.of("problem.queue-elsewhere", name),
                        Sentence.of("remedy.queue-elsewhere", known, name, server(name)))
                : ProblemType.UNKNOWN_QUEUE.refusal(Sentence.of("problem.no-queue", name), known);
    }

    /** Returns whether neither the settings nor a live executor have a queue. False while Redis does not answer. */
    boolean isUnknown(String name) {
        try {
            return !all().containsKey(name) && !inspection.handlers().containsKey(name);
        } catch (UnavailableException e) {
            return false;
        }
    }

    private boolean isRun(String name) {
        try {
            return inspection.handlers().containsKey(name);
        } catch (UnavailableException e) {
            return false;
        }
    }

    /**
     * Returns the arguments of a server that shows a queue that somebody else runs. Executors do not announce where its tasks come
     * from.
     */
    private String server(String name) {
        String setting = name.matches("[A-Za-z0-9-]+") ? "." + name + "." : "[" + name + "].";
        String namespace = settings.redis().namespace();
        return "--server.port=8090 --tandem.executor.enabled=false '--tandem.queues" + setting
                + "source=kafka' '--tandem.kafka.bootstrap-servers="
                + settings.kafka().bootstrapServers() + "' '--tandem.redis.uri="
                + Secrets.masked(settings.redis().uri()) + "'"
                + (settings.redis().cluster() ? " --tandem.redis.cluster=true" : "")
                + (namespace.equals("tandem") ? "" : " '--tandem.redis.namespace=" + namespace + "'");
    }
}
