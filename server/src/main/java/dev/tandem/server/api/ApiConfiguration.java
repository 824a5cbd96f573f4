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
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import tools.jackson.databind.json.JsonMapper;

/** The beans of the HTTP API. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
@Import(QueuesController.class)
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
    QueueReader queueReader(TandemSettings settings, Inspection inspection, Backlog backlog, LocalQueues local) {
        return new QueueReader(new ConfiguredQueues(settings, inspection), inspection, backlog, local);
    }

    @Bean
    RunningReader runningReader(TandemSettings settings, Inspection inspection) {
        return new RunningReader(new ConfiguredQueues(settings, inspection), inspection);
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
            TandemSettings settings,
            Inspection inspection,
            Backlog backlog,
            PayloadMasks masks,
            Dependencies dependencies,
            FanOutReader fanOuts) {
        ConfiguredQueues queues = new ConfiguredQueues(settings, inspection);
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
            TandemSettings settings,
            Inspection inspection,
            Administration administration,
            Backlog backlog,
            TaskReader reader) {
        return new TasksController(
                new ConfiguredQueues(settings, inspection),
                administration,
                new TaskLookup(inspection, backlog),
                reader);
    }

    @Bean
    LifecycleController lifecycleController(
            TandemSettings settings, Inspection inspection, Administration administration, Backlog backlog) {
        return new LifecycleController(
                new ConfiguredQueues(settings, inspection),
                administration,
                new TaskLookup(inspection, backlog),
                settings.executor().lease(),
                InstantSource.system());
    }

    @Bean
    PayloadEditor payloadEditor(
            TandemSettings settings,
            Inspection inspection,
            Administration administration,
            Backlog backlog,
            PayloadMasks masks,
            FanOutAdministration fanOuts) {
        return new PayloadEditor(
                new ConfiguredQueues(settings, inspection),
                administration,
                new TaskLookup(inspection, backlog),
                masks,
                fanOuts,
                (int) settings.maxPayload().toBytes());
    }

    @Bean
    PayloadController payloadController(PayloadEditor editor) {
        return new PayloadController(editor);
    }

    @Bean
    DependenciesController dependenciesController(
            TandemSettings settings, Inspection inspection, Dependencies dependencies, Backlog backlog) {
        return new DependenciesController(
                new ConfiguredQueues(settings, inspection), dependencies, new TaskLookup(inspection, backlog));
    }

    @Bean
    WhyFacts whyFacts(
            TandemSettings settings, Inspection inspection, Backlog backlog, LocalQueues local, LimitReader limits) {
        return new WhyFacts(
                inspection, backlog, local, limits, settings.executor().lease(), InstantSource.system());
    }

    @Bean
    WhyReader whyReader(TandemSettings settings, Inspection inspection, Backlog backlog, WhyFacts facts) {
        return new WhyReader(new ConfiguredQueues(settings, inspection), new TaskLookup(inspection, backlog), facts);
    }

    @Bean
    WhyController whyController(TandemSettings settings, Inspection inspection, WhyReader reader) {
        return new WhyController(new ConfiguredQueues(settings, inspection), reader);
    }

    @Bean
    EndsController endsController(
            TandemSettings settings, Inspection inspection, TaskEndings endings, PayloadMasks masks) {
        return new EndsController(new ConfiguredQueues(settings, inspection), endings, masks);
    }

    @Bean
    PullOrders pullOrders(TandemSettings settings, Inspection inspection, PulledTasks tasks) {
        return new PullOrders(new ConfiguredQueues(settings, inspection), tasks);
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
    DeadGroupReader deadGroupReader(TandemSettings settings, Inspection inspection) {
        return new DeadGroupReader(new ConfiguredQueues(settings, inspection), inspection);
    }

    @Bean
    DeadGroupsController deadGroupsController(DeadGroupReader reader, QueueReader queues) {
        return new DeadGroupsController(reader, queues);
    }

    @Bean
    KeyReader keyReader(TandemSettings settings, Inspection inspection) {
        return new KeyReader(new ConfiguredQueues(settings, inspection), inspection);
    }

    @Bean
    TimelineReader timelineReader(
            TandemSettings settings, Inspection inspection, Backlog backlog, KeyLog log, WhyFacts facts) {
        return new TimelineReader(new ConfiguredQueues(settings, inspection), inspection, backlog, log, facts);
    }

    @Bean
    KeysController keysController(
            TandemSettings settings,
            Inspection inspection,
            Administration administration,
            KeyReader reader,
            TimelineReader timelines) {
        return new KeysController(new ConfiguredQueues(settings, inspection), administration, reader, timelines);
    }

    @Bean
    HistoryController historyController(TandemSettings settings, Inspection inspection, StatisticsReader statistics) {
        return new HistoryController(new ConfiguredQueues(settings, inspection), statistics);
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
    PartitionsController partitionsController(TandemSettings settings, Inspection inspection, TopicPartitions topics) {
        return new PartitionsController(new ConfiguredQueues(settings, inspection), inspection, topics);
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
    OperationReader operationReader(TandemSettings settings, Inspection inspection, OperationAdministration kept) {
        return new OperationReader(new ConfiguredQueues(settings, inspection), kept);
    }

    @Bean
    OperationsController operationsController(OperationAdministration operations, OperationReader reader) {
        return new OperationsController(operations, reader, InstantSource.system());
    }

    @Bean
    SubmitController submitController(
            TandemSettings settings, Inspection inspection, Publisher publisher, IdempotencyKeys keys) {
        return new SubmitController(
                new ConfiguredQueues(settings, inspection), publisher, keys, settings, InstantSource.system());
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
            TandemSettings settings, Inspection inspection, Publisher publisher, IdempotencyKeys keys) {
        return new BatchController(
                new ConfiguredQueues(settings, inspection), publisher, keys, settings, InstantSource.system());
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
    ArchiveReader archiveReader(TandemSettings settings, Inspection inspection, Archive archive) {
        return new ArchiveReader(new ConfiguredQueues(settings, inspection), archive, InstantSource.system());
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
