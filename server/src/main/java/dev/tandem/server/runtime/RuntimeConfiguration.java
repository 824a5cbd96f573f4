package dev.tandem.server.runtime;

import dev.tandem.server.demo.DemoHandler;
import dev.tandem.server.handlers.HostedHandlers;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.settings.HostedTypes;
import dev.tandem.server.settings.QueueSettings.SourceType;
import dev.tandem.server.settings.TandemSettings;
import dev.tandem.task.Publisher;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.Map;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The platform and what watches it. */
@Configuration(proxyBeanMethods = false)
public class RuntimeConfiguration {

    @Bean
    HostedHandlers hostedHandlers(TandemSettings settings) {
        String events = settings.demo().events();
        boolean demo = !events.isEmpty() && settings.executor().enabled();
        return new HostedHandlers(
                settings.logPayloads(), demo ? Map.of(HostedTypes.DEMO, new DemoHandler(Path.of(events))) : Map.of());
    }

    @Bean
    Platform platform(TandemSettings settings, HostedHandlers handlers, MeterRegistry registry) {
        return new Platform(
                settings, handlers, new TaskMeters(registry, settings.queues(), HostedTypes.of(settings.demo())));
    }

    @Bean
    QueueGauges queueGauges(Platform platform) {
        return new QueueGauges(platform);
    }

    @Bean
    QueueMeters queueMeters(TandemSettings settings, Inspection inspection, Backlog backlog) {
        return new QueueMeters(settings.queues().keySet(), inspection, backlog);
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
    HealthIndicator redisHealthIndicator(PlatformHealth health) {
        return health.redis();
    }

    @Bean
    Inspection inspection(Platform platform) {
        return platform.inspection();
    }

    @Bean
    Administration administration(Platform platform) {
        return platform.administration();
    }

    @Bean
    Publisher publisher(TandemSettings settings) {
        return new Publishers(settings);
    }

    @Bean
    Backlog backlog(TandemSettings settings) {
        return new Backlogs(settings);
    }

    @Bean
    HealthIndicator queuesHealthIndicator(PlatformHealth health) {
        return health.queues();
    }
}
