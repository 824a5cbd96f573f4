package dev.tandem.server.runtime;

import dev.tandem.api.Handler;
import dev.tandem.api.PayloadMask;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.runtime.queues.RoutingPublisher;
import dev.tandem.runtime.queues.TaskMetrics;
import dev.tandem.runtime.settings.HostedTypes;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.runtime.settings.SettingsException;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.AuditLog;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.TokenAdministration;
import dev.tandem.server.access.TokenBook;
import dev.tandem.server.archive.Archive;
import dev.tandem.server.archive.NoArchive;
import dev.tandem.server.archive.PostgresArchive;
import dev.tandem.server.doctor.Doctor;
import dev.tandem.server.doctor.SharedDoctor;
import dev.tandem.server.handlers.AdditionalHandlers;
import dev.tandem.server.handlers.HostedHandlers;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.Dependencies;
import dev.tandem.server.inspect.FanOutAdministration;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.KeyLog;
import dev.tandem.server.inspect.KeyedRequests;
import dev.tandem.server.inspect.LimitAdministration;
import dev.tandem.server.inspect.LocalQueues;
import dev.tandem.server.inspect.ScheduleAdministration;
import dev.tandem.server.inspect.StatisticsReader;
import dev.tandem.server.inspect.TaskEndings;
import dev.tandem.server.inspect.TopicPartitions;
import dev.tandem.server.masking.PayloadMasks;
import dev.tandem.server.operations.OperationAdministration;
import dev.tandem.server.pull.PulledTasks;
import dev.tandem.task.Publisher;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The beans of the platform, its metrics and its health. */
@Configuration(proxyBeanMethods = false)
public class RuntimeConfiguration {

    @Bean
    PayloadMasks payloadMasks(TandemSettings settings, ObjectProvider<PayloadMask> own) {
        return new PayloadMasks(settings.queues(), own.getIfAvailable());
    }

    @Bean
    HostedHandlers hostedHandlers(
            TandemSettings settings,
            PayloadMasks masks,
            ObjectProvider<AdditionalHandlers> additional,
            MeterRegistry registry,
            ObjectProvider<SslBundles> bundles) {
        TlsBundles tls = new TlsBundles(bundles.getIfAvailable());
        if (!settings.executor().enabled()) {
            return new HostedHandlers(settings, masks, Map.of(), registry, tls::context);
        }
        Map<String, Handler> more =
                additional.getIfAvailable(() -> none -> Map.of()).of(settings);
        String events = settings.demo().events();
        if (!events.isEmpty() && !more.containsKey(HostedTypes.DEMO)) {
            throw SettingsException.of(
                    "tandem.demo.events",
                    events,
                    "only the servers of ./tandem demo have the handler demo: leave it out");
        }
        return new HostedHandlers(settings, masks, more, registry, tls::context);
    }

    @Bean
    Platform platform(TandemSettings settings, HostedHandlers handlers, MeterRegistry registry) {
        return new Platform(
                settings,
                handlers,
                new TaskMetrics(registry, settings.queues(), HostedTypes.of(settings.demo())),
                new OperationMetrics(registry));
    }

    @Bean
    LocalQueueMetrics localQueueMetrics(Platform platform) {
        return new LocalQueueMetrics(platform);
    }

    @Bean
    PullMetrics pullMetrics(Platform platform) {
        return new PullMetrics(platform, platform.leasedQueues());
    }

    @Bean
    LimitMetrics limitMetrics(Platform platform) {
        return new LimitMetrics(platform);
    }

    @Bean
    ClusterQueueMetrics clusterQueueMetrics(TandemSettings settings, Inspection inspection, Backlog backlog) {
        return new ClusterQueueMetrics(settings.queues().keySet(), inspection, backlog);
    }

    @Bean
    StartReport startReport(TandemSettings settings, Environment environment, Platform platform) {
        return new StartReport(settings, environment, platform.executorId());
    }

    @Bean
    OwnerWatch ownerWatch(TandemSettings settings, Platform platform, Backlog backlog) {
        OwnerWatch watch = new OwnerWatch(
                settings.queues(),
                backlog,
                platform::unowned,
                settings.executor().lease(),
                KafkaSettings.metadataAge(settings.kafka().properties()),
                System::nanoTime);
        watch.start();
        return watch;
    }

    @Bean
    Doctor doctor(Platform platform, OwnerWatch owners, Archive archive) {
        return new SharedDoctor(new PlatformDoctor(platform, owners, archive), System::nanoTime);
    }

    @Bean
    PlatformHealth platformHealth(Platform platform, OwnerWatch owners) {
        return new PlatformHealth(platform, owners);
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
    LocalQueues localQueues(Platform platform, OwnerWatch owners) {
        return queue -> platform.local(queue, owners.gaps(queue));
    }

    @Bean
    Administration administration(Platform platform) {
        return platform.administration();
    }

    @Bean
    Dependencies dependencies(Platform platform) {
        return platform.dependencies();
    }

    @Bean
    TaskEndings taskEndings(Platform platform) {
        return platform.taskEndings();
    }

    @Bean
    PulledTasks pulledTasks(Platform platform) {
        return platform.pulledTasks();
    }

    @Bean
    ScheduleAdministration scheduleAdministration(Platform platform) {
        return platform.scheduleAdministration();
    }

    @Bean
    LimitAdministration limitAdministration(Platform platform) {
        return platform.limitAdministration();
    }

    @Bean
    FanOutAdministration fanOutAdministration(Platform platform) {
        return platform.fanOutAdministration();
    }

    @Bean
    OperationAdministration operationAdministration(Platform platform) {
        return platform.operationAdministration();
    }

    @Bean
    TokenBook tokenBook(Platform platform) {
        return platform.tokenBook();
    }

    @Bean
    KeyedRequests keyedRequests(Platform platform) {
        return platform.keyedRequests();
    }

    @Bean
    StatisticsReader statisticsReader(Platform platform) {
        return platform.statistics();
    }

    @Bean
    Archive archive(TandemSettings settings) {
        return settings.archive().enabled() ? new PostgresArchive(settings, InstantSource.system()) : new NoArchive();
    }

    @Bean
    ArchiveMetrics archiveMetrics(Archive archive) {
        return new ArchiveMetrics(archive);
    }

    @Bean
    AuditLog auditLog(Platform platform) {
        return platform.auditLog();
    }

    @Bean
    @ConditionalOnWebApplication
    TokenAdministration tokenAdministration(TokenBook book, KnownTokens known) {
        return new RedisTokenAdministration(book, known);
    }

    @Bean
    Publisher publisher(TandemSettings settings) {
        return new RoutingPublisher(settings);
    }

    @Bean
    TopicPartitions topicPartitions(TandemSettings settings) {
        return new KafkaPartitions(settings);
    }

    @Bean
    KeyLog keyLog(TandemSettings settings) {
        return new KafkaKeyLog(settings);
    }

    @Bean
    Backlog backlog(TandemSettings settings) {
        return new CachedBacklog(settings);
    }

    @Bean
    HealthIndicator queuesHealthIndicator(PlatformHealth health) {
        return health.queues();
    }
}
