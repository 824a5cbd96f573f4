package dev.tandem.spring;

import dev.tandem.outbox.OutboxBacklog;
import dev.tandem.outbox.RelayStatus;
import java.sql.SQLException;
import java.time.Duration;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Says what waits in the outbox of this application, and whether it is published. */
final class OutboxHealth extends AbstractHealthIndicator {

    private final ApplicationOutbox outbox;
    private final OutboxLifecycle lifecycle;

    OutboxHealth(ApplicationOutbox outbox, OutboxLifecycle lifecycle) {
        super("The outbox cannot be read");
        this.outbox = outbox;
        this.lifecycle = lifecycle;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) throws SQLException {
        if (!outbox.isUsed()) {
            builder.up().withDetail("note", "This application has no outbox");
            return;
        }
        OutboxBacklog backlog = outbox.backlog();
        builder.up().withDetail("waiting", backlog.rows()).withDetail("setAside", backlog.refused());
        Duration oldest = backlog.oldest();
        if (oldest != null) {
            builder.withDetail("oldest", oldest.toString());
        }
        RelayStatus status = lifecycle.status();
        if (status == null) {
            builder.withDetail("note", "This application publishes nothing itself: tandem.outbox.relay is 'false'");
            return;
        }
        builder.withDetail("buckets", status.buckets()).withDetail("published", status.published());
        String problem = status.problem();
        if (problem != null) {
            builder.down().withDetail("problem", problem);
        }
    }
}
