package dev.tandem.server.runtime;

import dev.tandem.executor.QueueStatus;
import dev.tandem.runtime.queues.QueueSource.Reachability;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** The parts of {@code /actuator/health}. None of them waits for a broker. */
public final class PlatformHealth {

    private final Platform platform;
    private final OwnerWatch owners;

    PlatformHealth(Platform platform, OwnerWatch owners) {
        this.platform = platform;
        this.owners = owners;
    }

    /** Whether the broker of every queue with this source can be reached. Up if there is no such queue. */
    public HealthIndicator source(SourceType type) {
        return () -> {
            Map<String, String> details = new LinkedHashMap<>();
            boolean[] up = {true};
            platform.settings().queues().forEach((name, queue) -> {
                if (queue.effectiveSource() == type) {
                    Reachability reach = platform.reach(name);
                    up[0] &= reach.reached();
                    details.put(name, reach.detail());
                }
            });
            Health.Builder health = up[0] ? Health.up() : Health.down();
            return health.withDetails(details).build();
        };
    }

    /** Whether Redis can be reached. */
    public HealthIndicator redis() {
        return () -> {
            Reachability reach = platform.redis();
            return (reach.reached() ? Health.up() : Health.down())
                    .withDetail("redis", reach.detail())
                    .build();
        };
    }

    /**
     * Whether the loops of all queues make progress and the store of all partitions answers. Names partitions on which no
     * executor works, but stays up because of them: this process may be well.
     */
    public HealthIndicator queues() {
        return () -> {
            String problem = platform.problem();
            boolean up = problem == null;
            Map<String, Map<String, Object>> queues = new LinkedHashMap<>();
            for (QueueStatus status : platform.status()) {
                up &= status.healthy();
                Map<String, Object> queue = new LinkedHashMap<>();
                queue.put("state", status.state());
                queue.put("partitions", status.partitions());
                queue.put("running", status.running());
                if (status.withheld() != null) {
                    queue.put("withheld", status.withheld());
                }
                if (status.problem() != null) {
                    queue.put("problem", status.problem());
                }
                if (status.waits() != null) {
                    queue.put("waits", status.waits());
                }
                String forgotten = platform.forgotten(status.queue());
                if (forgotten != null) {
                    queue.put("forgotten", forgotten);
                }
                queues.put(status.queue(), queue);
            }
            owners.unowned()
                    .forEach((queue, text) -> queues.computeIfAbsent(queue, none -> new LinkedHashMap<>())
                            .put("unowned", text));
            Map<String, Object> details = new LinkedHashMap<>(queues);
            if (problem != null) {
                details.put("problem", problem);
            }
            return (up ? Health.up() : Health.down()).withDetails(details).build();
        };
    }
}
