package dev.tandem.server.api;

import dev.tandem.runtime.queues.ConfiguredLimits;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.AuditLog;
import dev.tandem.server.access.TokenAdministration;
import dev.tandem.server.archive.Archive;
import dev.tandem.server.doctor.Doctor;
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
import dev.tandem.server.logs.OperatorLog;
import dev.tandem.server.masking.PayloadMasks;
import dev.tandem.server.operations.OperationAdministration;
import dev.tandem.server.pull.PulledTasks;
import dev.tandem.task.Publisher;
import java.time.InstantSource;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import tools.jackson.databind.json.JsonMapper;

/** The beans of the HTTP API. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
public class ApiConfiguration {

    @Bean
    FilterRegistrationBean<RequestLimitFilter> requestLimit(
            TandemSettings settings, JsonMapper json, @Value("${server.tomcat.threads.max:200}") int threads) {
        FilterRegistrationBean<RequestLimitFilter> filter = new FilterRegistrationBean<>(new RequestLimitFilter(
                RequestLimitFilter.maxRequests(threads),
                SubmitController.maxBody(settings),
                settings.api().bodyTimeout().toMillis(),
                json));
        // After the login (spring.security.filter.order), so that nobody else can hold a place.
        filter.setOrder(Ordered.HIGHEST_PRECEDENCE + 2);
        return filter;
    }

    @Bean
    FilterRegistrationBean<EtagFilter> etags() {
        FilterRegistrationBean<EtagFilter> filter = new FilterRegistrationBean<>(new EtagFilter());
        filter.addUrlPatterns("/api/v1/*");
        filter.setOrder(Ordered.HIGHEST_PRECEDENCE + 4);
        return filter;
    }

    @Bean
    FilterRegistrationBean<RequestGuardFilter> requestGuard(TandemSettings settings, JsonMapper json) {
        RequestGuard guard = new RequestGuard(settings.api().allowedHosts());
        FilterRegistrationBean<RequestGuardFilter> filter =
                new FilterRegistrationBean<>(new RequestGuardFilter(guard, json));
        // Before any body is read, so that a refused request costs nothing.
        filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return filter;
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> unreadBodies() {
        return tomcat -> tomcat.addEngineValves(new UnreadBodyValve(), new PeerAddress.Keeper());
    }

    /** Passes encoded slashes through: ids and keys may contain slashes, which are decoded in path variables only. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> encodedSlashes() {
        String handling = EncodedSolidusHandling.PASS_THROUGH.getValue();
        return tomcat -> tomcat.addConnectorCustomizers(connector -> {
            connector.setEncodedSolidusHandling(handling);
            connector.setEncodedReverseSolidusHandling(handling);
        });
    }

    @Bean
    TomcatFolders tomcatFolders() {
        return new TomcatFolders();
    }

    @Bean
    ConfiguredQueues configuredQueues(TandemSettings settings, Inspection inspection) {
        return new ConfiguredQueues(settings, inspection);
    }

    @Bean
    QueueReader queueReader(ConfiguredQueues queues, Inspection inspection, Backlog backlog, LocalQueues local) {
        return new QueueReader(queues, inspection, backlog, local);
    }

    @Bean
    QueuesController queuesController(
            ConfiguredQueues queues,
            Inspection inspection,
            Administration administration,
            QueueReader reader,
            DeadGroupReader dead) {
        return new QueuesController(queues, inspection, administration, reader, dead.shared());
    }

    @Bean
    RunningReader runningReader(ConfiguredQueues queues, Inspection inspection) {
        return new RunningReader(queues, inspection);
    }

    @Bean
    RunningController runningController(RunningReader reader) {
        return new RunningController(reader);
    }

    @Bean
    DoctorController doctorController(QueueReader queues, DeadGroupReader dead, Doctor doctor) {
        return new DoctorController(queues, dead.shared(), doctor, InstantSource.system());
    }

    @Bean
    TaskReader taskReader(
            ConfiguredQueues queues,
            Inspection inspection,
            Backlog backlog,
            PayloadMasks masks,
            Dependencies dependencies,
            FanOutReader fanOuts) {
        return new TaskReader(
                queues,
                inspection,
                new TaskLookup(inspection, backlog),
                masks,
                new RelationReader(queues, inspection, dependencies, fanOuts),
                InstantSource.system());
    }

    @Bean
    TasksController tasksController(
            ConfiguredQueues queues,
            Inspection inspection,
            Administration administration,
            Backlog backlog,
            TaskReader reader) {
        return new TasksController(queues, administration, new TaskLookup(inspection, backlog), reader);
    }

    @Bean
    LifecycleController lifecycleController(
            ConfiguredQueues queues,
            TandemSettings settings,
            Inspection inspection,
            Administration administration,
            Backlog backlog) {
        return new LifecycleController(
                queues,
                administration,
                new TaskLookup(inspection, backlog),
                settings.executor().lease(),
                InstantSource.system());
    }

    @Bean
    PayloadEditor payloadEditor(
            ConfiguredQueues queues,
            TandemSettings settings,
            Inspection inspection,
            Administration administration,
            Backlog backlog,
            PayloadMasks masks,
            FanOutAdministration fanOuts) {
        return new PayloadEditor(queues, administration, new TaskLookup(inspection, backlog), masks, fanOuts, (int)
                settings.maxPayload().toBytes());
    }

    @Bean
    PayloadController payloadController(PayloadEditor editor) {
        return new PayloadController(editor);
    }

    @Bean
    DependenciesController dependenciesController(
            ConfiguredQueues queues, Inspection inspection, Dependencies dependencies, Backlog backlog) {
        return new DependenciesController(queues, dependencies, new TaskLookup(inspection, backlog));
    }

    @Bean
    WhyFacts whyFacts(
            TandemSettings settings, Inspection inspection, Backlog backlog, LocalQueues local, LimitReader limits) {
        return new WhyFacts(
                inspection, backlog, local, limits, settings.executor().lease(), InstantSource.system());
    }

    @Bean
    WhyReader whyReader(ConfiguredQueues queues, Inspection inspection, Backlog backlog, WhyFacts facts) {
        return new WhyReader(queues, new TaskLookup(inspection, backlog), facts);
    }

    @Bean
    WhyController whyController(ConfiguredQueues queues, WhyReader reader) {
        return new WhyController(queues, reader);
    }

    @Bean
    EndsController endsController(ConfiguredQueues queues, TaskEndings endings, PayloadMasks masks) {
        return new EndsController(queues, endings, masks);
    }

    @Bean
    PullOrders pullOrders(ConfiguredQueues queues, PulledTasks tasks) {
        return new PullOrders(queues, tasks);
    }

    @Bean
    PullController pullController(
            PullOrders orders, PulledTasks tasks, @Value("${server.tomcat.max-connections:8192}") int connections) {
        return new PullController(orders, tasks, PullController.mostWaiting(connections));
    }

    @Bean
    PullTasksController pullTasksController(
            PullOrders orders,
            Inspection inspection,
            Administration administration,
            Backlog backlog,
            PayloadMasks masks) {
        return new PullTasksController(orders, inspection, administration, new TaskLookup(inspection, backlog), masks);
    }

    @Bean
    DeadGroupReader deadGroupReader(ConfiguredQueues queues, Inspection inspection) {
        return new DeadGroupReader(queues, inspection);
    }

    @Bean
    DeadGroupsController deadGroupsController(DeadGroupReader reader, QueueReader queues) {
        return new DeadGroupsController(reader, queues);
    }

    @Bean
    KeyReader keyReader(ConfiguredQueues queues, Inspection inspection) {
        return new KeyReader(queues, inspection);
    }

    @Bean
    TimelineReader timelineReader(
            ConfiguredQueues queues, Inspection inspection, Backlog backlog, KeyLog log, WhyFacts facts) {
        return new TimelineReader(queues, inspection, backlog, log, facts);
    }

    @Bean
    KeysController keysController(
            ConfiguredQueues queues, Administration administration, KeyReader reader, TimelineReader timelines) {
        return new KeysController(queues, administration, reader, timelines);
    }

    @Bean
    HistoryController historyController(ConfiguredQueues queues, StatisticsReader statistics) {
        return new HistoryController(queues, statistics);
    }

    @Bean
    LimitReader limitReader(Inspection inspection, TandemSettings settings) {
        return new LimitReader(inspection, ConfiguredLimits.of(settings));
    }

    @Bean
    LimitsController limitsController(LimitReader reader, LimitAdministration administration) {
        return new LimitsController(reader, new LimitEditor(reader, administration));
    }

    @Bean
    SchedulesController schedulesController(ScheduleAdministration schedules, TandemSettings settings) {
        return new SchedulesController(schedules, settings);
    }

    @Bean
    PartitionsController partitionsController(ConfiguredQueues queues, Inspection inspection, TopicPartitions topics) {
        return new PartitionsController(queues, inspection, topics);
    }

    @Bean
    FanOutReader fanOutReader(FanOutAdministration fanOuts) {
        return new FanOutReader(fanOuts);
    }

    @Bean
    FanOutsController fanOutsController(FanOutAdministration fanOuts, FanOutReader reader) {
        return new FanOutsController(fanOuts, reader);
    }

    @Bean
    OperationReader operationReader(ConfiguredQueues queues, OperationAdministration kept) {
        return new OperationReader(queues, kept);
    }

    @Bean
    OperationsController operationsController(OperationAdministration operations, OperationReader reader) {
        return new OperationsController(operations, reader, InstantSource.system());
    }

    @Bean
    SubmitController submitController(
            ConfiguredQueues queues, TandemSettings settings, Publisher publisher, IdempotencyKeys keys) {
        return new SubmitController(queues, publisher, keys, settings, InstantSource.system());
    }

    @Bean
    IdempotencyKeys idempotencyKeys(KeyedRequests requests, TandemSettings settings) {
        return new IdempotencyKeys(requests, settings.api().idempotency());
    }

    @Bean
    DocumentController documentController() {
        return new DocumentController();
    }

    @Bean
    BatchController batchController(
            ConfiguredQueues queues, TandemSettings settings, Publisher publisher, IdempotencyKeys keys) {
        return new BatchController(queues, publisher, keys, settings, InstantSource.system());
    }

    @Bean
    CallerController callerController() {
        return new CallerController();
    }

    @Bean
    TokensController tokensController(TokenAdministration tokens, TandemSettings settings) {
        return new TokensController(tokens, settings, InstantSource.system());
    }

    @Bean
    AuditReader auditReader(AuditLog audit) {
        return new AuditReader(audit);
    }

    @Bean
    AuditController auditController(AuditReader reader) {
        return new AuditController(reader);
    }

    @Bean
    ArchiveReader archiveReader(ConfiguredQueues queues, Archive archive) {
        return new ArchiveReader(queues, archive, InstantSource.system());
    }

    @Bean
    ArchiveController archiveController(ArchiveReader reader) {
        return new ArchiveController(reader);
    }

    @Bean
    OperatorLog operatorLog() {
        return new OperatorLog();
    }

    @Bean
    WebMvcConfigurer interceptors(TandemSettings settings, OperatorLog log, AuditLog audit) {
        AuditInterceptor audits =
                new AuditInterceptor(log, audit, settings.log().keys(), InstantSource.system());
        return new WebMvcConfigurer() {
            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                // First, so that it sees what the check of the caller refuses.
                registry.addInterceptor(audits).order(Integer.MIN_VALUE);
                registry.addInterceptor(new KnownParameters());
            }
        };
    }

    @Bean
    ApiExceptionHandler apiExceptionHandler() {
        return new ApiExceptionHandler();
    }

    @Bean
    FallbackErrorController fallbackErrorController() {
        return new FallbackErrorController();
    }
}
