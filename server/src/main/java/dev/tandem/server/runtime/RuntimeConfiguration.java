package dev.tandem.server.runtime;

import dev.tandem.server.handlers.HostedHandlers;
import dev.tandem.server.settings.HostedTypes;
import dev.tandem.server.settings.QueueSettings.SourceType;
import dev.tandem.server.settings.TandemSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The platform and what watches it. */
@Configuration(proxyBeanMethods = false)
public class RuntimeConfiguration {

    @Bean
    Platform platform(TandemSettings settings, MeterRegistry registry) {
        HostedHandlers handlers = new HostedHandlers(settings.logPayloads(), Map.of());
        return new Platform(
                settings, handlers, new TaskMeters(registry, settings.queues(), HostedTypes.of(settings.demo())));
    }

    @Bean
    QueueGauges queueGauges(Platform platform) {
        return new QueueGauges(platform);
    }

    @Bean
    PlatformHealth platformHealth(Platform platform) {
        return new PlatformHealth(platform);
    }

    @Bean
    HealthIndicator kafkaHealthIndicator(PlatformHealth health) {
        return health.source(SourceType.KAFKA);
    }

    @Bean
    HealthIndicator rabbitHealthIndicator(PlatformHealth health) {
        return health.source(SourceType.RABBIT);
    }

    @Bean
    HealthIndicator queuesHealthIndicator(PlatformHealth health) {
        return health.queues();
    }
}
