package dev.tandem.server.console;

import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.Rights;
import dev.tandem.server.api.ArchiveReader;
import dev.tandem.server.api.AuditReader;
import dev.tandem.server.api.DeadGroupReader;
import dev.tandem.server.api.FanOutReader;
import dev.tandem.server.api.KeyReader;
import dev.tandem.server.api.LimitReader;
import dev.tandem.server.api.OperationReader;
import dev.tandem.server.api.PayloadEditor;
import dev.tandem.server.api.QueueReader;
import dev.tandem.server.api.RunningReader;
import dev.tandem.server.api.SharedDeadGroups;
import dev.tandem.server.api.TaskReader;
import dev.tandem.server.api.TimelineReader;
import dev.tandem.server.api.WhyReader;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.ScheduleAdministration;
import dev.tandem.server.inspect.StatisticsReader;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** The beans of the console. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
public class ConsoleConfiguration {

    private static final Duration PERIOD = Duration.ofSeconds(2);

    @Bean
    Assets assets() {
        return new Assets();
    }

    @Bean
    LivePages livePages() {
        return new LivePages(PERIOD);
    }

    @Bean
    PageAnswers pageAnswers(LivePages live, Assets assets, Rights rights) {
        return new PageAnswers(new PageRenderer(), live, assets, rights);
    }

    @Bean
    PageErrors pageErrors(PageAnswers answers) {
        return new PageErrors(answers);
    }

    @Bean
    FrameworkErrorPages frameworkErrorPages(PageAnswers answers) {
        return new FrameworkErrorPages(answers);
    }

    @Bean
    WebMvcConfigurer pages(PageAnswers answers) {
        return new WebMvcConfigurer() {
            @Override
            public void addReturnValueHandlers(List<HandlerMethodReturnValueHandler> handlers) {
                handlers.add(answers);
            }
        };
    }

    @Bean
    AssetController assetController(Assets assets) {
        return new AssetController(assets);
    }

    @Bean
    LanguageController languageController() {
        return new LanguageController();
    }

    @Bean
    RecentEnds recentEnds(StatisticsReader statistics) {
        return new RecentEnds(statistics, InstantSource.system());
    }

    @Bean
    QueueSnapshots queueSnapshots(QueueReader queues, Inspection inspection) {
        return new QueueSnapshots(queues, inspection, System::nanoTime);
    }

    @Bean
    OverviewController overviewController(QueueSnapshots snapshots, RecentEnds recent, SharedDeadGroups dead) {
        return new OverviewController(snapshots, recent, dead);
    }

    @Bean
    QueueController queueController(QueueReader queues, StatisticsReader statistics, LimitReader limits) {
        return new QueueController(queues, statistics, limits);
    }

    @Bean
    NewTaskController newTaskController(QueueReader queues, QueueSnapshots snapshots) {
        return new NewTaskController(queues, snapshots);
    }

    @Bean
    TaskListController taskListController(QueueReader queues, TaskReader tasks) {
        return new TaskListController(queues, tasks);
    }

    @Bean
    ExecutorsController executorsController(QueueSnapshots snapshots) {
        return new ExecutorsController(snapshots);
    }

    @Bean
    RunningPageController runningPageController(TandemSettings settings, RunningReader reader) {
        return new RunningPageController(settings, reader);
    }

    @Bean
    AuditPageController auditPageController(AuditReader log) {
        return new AuditPageController(log);
    }

    @Bean
    ArchivePageController archivePageController(ArchiveReader archive) {
        return new ArchivePageController(archive);
    }

    @Bean
    TaskController taskController(TaskReader tasks, WhyReader why, ArchiveReader archive, AuditReader audit) {
        return new TaskController(tasks, why, archive, audit);
    }

    @Bean
    EditController editController(PayloadEditor editor) {
        return new EditController(editor);
    }

    @Bean
    SharedDeadGroups sharedDeadGroups(DeadGroupReader reader) {
        return reader.shared();
    }

    @Bean
    DeadPageController deadPageController(DeadGroupReader reader, QueueSnapshots snapshots, SharedDeadGroups shared) {
        return new DeadPageController(reader, snapshots, shared);
    }

    @Bean
    KeyController keyController(KeyReader keys, WhyReader why, TimelineReader timelines, Inspection inspection) {
        return new KeyController(keys, why, timelines, inspection);
    }

    @Bean
    SearchController searchController(
            TandemSettings settings, TaskReader tasks, KeyReader keys, ArchiveReader archive) {
        return new SearchController(settings, tasks, keys, archive);
    }

    @Bean
    OperationsPageController operationsPageController(OperationReader operations) {
        return new OperationsPageController(operations);
    }

    @Bean
    SchedulesPageController schedulesPageController(ScheduleAdministration schedules) {
        return new SchedulesPageController(schedules);
    }

    @Bean
    FanOutsPageController fanOutsPageController(FanOutReader fanOuts) {
        return new FanOutsPageController(fanOuts);
    }

    @Bean
    LimitsPageController limitsPageController(LimitReader limits) {
        return new LimitsPageController(limits);
    }
}
