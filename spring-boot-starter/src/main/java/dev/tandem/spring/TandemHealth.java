package dev.tandem.spring;

import dev.tandem.runtime.TandemStatus;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Says whether the tasks of this application can run. */
final class TandemHealth extends AbstractHealthIndicator {

    private final TandemLifecycle lifecycle;

    TandemHealth(TandemLifecycle lifecycle) {
        super("Tandem's status cannot be read");
        this.lifecycle = lifecycle;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        TandemStatus status = lifecycle.status();
        if (status == null) {
            builder.up().withDetail("note", "This application runs no tasks");
            return;
        }
        builder.up().withDetail("executor", status.executor()).withDetail("queues", status.queues());
        if (!status.healthy()) {
            builder.down().withDetail("problems", status.problems());
        }
    }
}
