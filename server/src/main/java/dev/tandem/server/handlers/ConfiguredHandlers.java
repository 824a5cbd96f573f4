package dev.tandem.server.handlers;

import dev.tandem.api.Handler;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.pull.PullPolicy;
import dev.tandem.runtime.queues.QueueHandlers;
import dev.tandem.runtime.settings.HostedTypes;
import dev.tandem.runtime.settings.QueueSettings;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives each queue the hosted handlers that its settings name. */
public final class ConfiguredHandlers implements QueueHandlers {

    private static final Logger log = LoggerFactory.getLogger(ConfiguredHandlers.class);

    private final HostedHandlers hosted;
    private final Set<String> rateLimited;

    /** @param rateLimited the queues with rate limits */
    public ConfiguredHandlers(HostedHandlers hosted, Set<String> rateLimited) {
        this.hosted = hosted;
        this.rateLimited = Set.copyOf(rateLimited);
    }

    @Override
    public void addTo(String name, QueueSettings queue, QueueSpec.Builder spec) {
        if (queue.isLeased()) {
            spec.defaultType(queue.isPulled() ? HostedTypes.PULL : HostedTypes.HTTP)
                    .pulled(new PullPolicy(queue.pull().lease()));
            return;
        }
        Map<String, Handler> handlers = hosted.of(name, queue, rateLimited.contains(name));
        handlers.forEach(spec::handler);
        String defaultType = queue.handler();
        if (defaultType == null) {
            log.warn(
                    "Queue {} has no handler: tasks without a type wait for one, for as long as unknown-type-grace says ({}),"
                            + " and are dead then. Set tandem.queues.{}.handler",
                    name,
                    queue.unknownTypeGrace(),
                    name);
            return;
        }
        spec.defaultType(defaultType);
        Handler handler = Objects.requireNonNull(handlers.get(defaultType), defaultType);
        for (String type : queue.types()) {
            if (type.equals("*")) {
                spec.fallback(handler);
            } else if (!handlers.containsKey(type)) {
                spec.handler(type, handler);
            }
        }
    }
}
