package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import dev.tandem.api.Recurring;
import dev.tandem.api.TaskHandler;
import dev.tandem.runtime.TandemProgram;
import dev.tandem.runtime.TandemStarter;
import dev.tandem.runtime.settings.ScheduleSettings;
import dev.tandem.runtime.settings.SettingsException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Methods with {@link Recurring}. Nothing connects to a broker. */
class RecurringTest {

    private final AtomicReference<TandemProgram> started = new AtomicReference<>();

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, TandemAutoConfiguration.class))
            .withPropertyValues("tandem.queues.reports.source=kafka", "reports.cron=0 30 2 * * *")
            .withBean(TandemStarter.class, () -> program -> {
                started.set(program.program());
                return () -> {};
            });

    record Report(String kind) {}

    static class Reports {

        @Recurring(
                id = "nightly",
                cron = "${reports.cron}",
                zone = "Europe/Berlin",
                payload = "{\"kind\": \"night\"}",
                misfire = Misfire.ALL,
                misfireAfter = "5m",
                overlap = Overlap.QUEUE,
                jitter = "30s")
        @TaskHandler(queue = "reports", type = "report")
        void report(Report report) {}

        @Recurring(queue = "reports", id = "clean", every = "10m")
        void clean() {}
    }

    @Test
    void methodsAreFiredAndRunTheirTasks() {
        application.withBean(Reports.class).run(context -> {
            assertThat(context).hasNotFailed();
            TandemProgram program = started.get();
            ScheduleSettings nightly = program.all().schedules().get("nightly");
            assertThat(nightly.queue()).isEqualTo("reports");
            assertThat(nightly.type()).isEqualTo("report");
            assertThat(nightly.cron()).isEqualTo("0 30 2 * * *");
            assertThat(nightly.zone()).isEqualTo("Europe/Berlin");
            assertThat(nightly.payload()).isEqualTo("{\"kind\": \"night\"}");
            assertThat(nightly.misfire()).isEqualTo(Misfire.ALL);
            assertThat(nightly.misfireAfter()).isEqualTo(Duration.ofMinutes(5));
            assertThat(nightly.overlap()).isEqualTo(Overlap.QUEUE);
            assertThat(nightly.jitter()).isEqualTo(Duration.ofSeconds(30));
            ScheduleSettings clean = program.all().schedules().get("clean");
            assertThat(clean.type()).isEqualTo("clean");
            assertThat(clean.every()).isEqualTo(Duration.ofMinutes(10));
        });
    }

    @Test
    void aDashSwitchesAScheduleOff() {
        application
                .withBean(Reports.class)
                .withPropertyValues("reports.cron=-", "tandem.schedules.x.enabled=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(started.get().all().schedules().get("nightly").enabled())
                            .isFalse();
                });
    }

    @Test
    void aCronExpressionThatCannotBeReadStopsTheStart() {
        application
                .withBean(Reports.class)
                .withPropertyValues("reports.cron=0 0 30 2 *")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasRootCauseInstanceOf(SettingsException.class)
                        .rootCause()
                        .hasMessageContaining("tandem.schedules.nightly.cron is '0 0 30 2 *'")
                        .hasMessageContaining("it never fires"));
    }

    @Test
    void anIdThatIsThereTwiceStopsTheStart() {
        problem(
                application
                        .withBean(Reports.class)
                        .withPropertyValues(
                                "tandem.schedules.clean.queue=reports",
                                "tandem.schedules.clean.type=x",
                                "tandem.schedules.clean.every=1h"),
                "the schedule 'clean' is there already, by tandem.schedules.clean");
    }

    static class WithoutPayload {

        @Recurring(every = "10m")
        @TaskHandler(queue = "reports", type = "report")
        void report(Report report) {}
    }

    @Test
    void aMethodThatReadsAPayloadNeedsOne() {
        problem(application.withBean(WithoutPayload.class), "@Recurring has no payload");
    }

    static class WithoutQueue {

        @Recurring(id = "clean", every = "10m")
        void clean() {}
    }

    @Test
    void aMethodWithoutAHandlerNeedsAQueue() {
        problem(application.withBean(WithoutQueue.class), "the annotation's queue is empty: give it a name");
    }

    private static void problem(ApplicationContextRunner runner, String message) {
        runner.run(context -> {
            assertThat(context).hasFailed();
            Throwable cause = context.getStartupFailure();
            while (cause != null && !(cause instanceof StartException)) {
                cause = cause.getCause();
            }
            List<String> problems = cause instanceof StartException start ? start.problems() : List.of();
            assertThat(problems).anyMatch(each -> each.contains(message));
        });
    }
}
