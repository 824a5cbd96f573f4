package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Refusals of schedules, with their messages. */
class ScheduleSettingsTest {

    private static Map<String, Object> good() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("tandem.queues.reports.source", "kafka");
        settings.put("tandem.queues.mails.source", "rabbit");
        settings.put("tandem.schedules.nightly.queue", "reports");
        settings.put("tandem.schedules.nightly.type", "report");
        settings.put("tandem.schedules.nightly.cron", "0 30 2 * * *");
        return settings;
    }

    private static TandemSettings load(Map<String, Object> settings) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", settings));
        return SettingsLoader.load(environment);
    }

    private static List<String> problems(Map<String, Object> settings) {
        SettingsException refused = catchThrowableOfType(SettingsException.class, () -> load(settings));
        return refused == null ? List.of() : refused.problems();
    }

    private static void assertRefused(Map<String, Object> changes, String... messages) {
        Map<String, Object> settings = good();
        changes.forEach((name, value) -> {
            if (value.equals("")) {
                settings.remove("tandem.schedules.nightly." + name);
            } else {
                settings.put("tandem.schedules.nightly." + name, value);
            }
        });
        List<String> problems = new ArrayList<>(problems(settings));
        assertThat(problems).hasSameSizeAs(messages);
        for (String message : messages) {
            assertThat(problems).anyMatch(each -> each.contains(message));
        }
    }

    @Test
    void aScheduleNeedsAQueueATypeAndATime() {
        assertThat(problems(good())).isEmpty();
        assertRefused(
                Map.of("queue", ""), "tandem.schedules.nightly.queue is not set: it must be the queue of its tasks");
        assertRefused(Map.of("queue", "none"), "tandem.schedules.nightly.queue is 'none'");
        assertRefused(Map.of("type", ""), "tandem.schedules.nightly.type is not set");
        assertRefused(Map.of("cron", ""), "tandem.schedules.nightly.cron is not set: set it, such as 0 30 2 * * *");
        assertRefused(Map.of("every", "10m"), "tandem.schedules.nightly.every is set too: leave one of them out");
    }

    @Test
    void whatNeverFiresOrCannotBeReadIsRefused() {
        assertRefused(Map.of("cron", "0 0 30 2 *"), "tandem.schedules.nightly.cron is '0 0 30 2 *': it never fires");
        assertRefused(
                Map.of("cron", "0 61 * * * *", "zone", "Europe/Bonn"),
                "the minute is '61': it must be 0 to 59",
                "tandem.schedules.nightly.zone is 'Europe/Bonn': it must be a time zone such as Europe/Berlin");
        assertRefused(Map.of("cron", "", "every", "500ms"), "tandem.schedules.nightly.every is '500ms'");
        assertRefused(
                Map.of("misfire", "some"), "tandem.schedules.nightly.misfire is 'some': it must be one or all or none");
        assertRefused(Map.of("misfire-max", "5000"), "tandem.schedules.nightly.misfire-max is '5000'");
        assertRefused(Map.of("jitter", "2d"), "tandem.schedules.nightly.jitter is '2d'");
    }

    @Test
    void policiesThatTheQueueCannotKeepAreRefused() {
        assertRefused(
                Map.of("queue", "mails", "overlap", "queue"),
                "tandem.schedules.nightly.overlap is 'queue': tasks with a key wait for one another only in an ordered");
        assertRefused(Map.of("queue", "mails", "key", "k"), "tandem.schedules.nightly.key is 'k'");
        Map<String, Object> forgetful = good();
        forgetful.put("tandem.schedules.nightly.overlap", "skip");
        forgetful.put("tandem.history.succeeded-max", "0");
        assertThat(problems(forgetful)).singleElement().asString().contains("tandem.history.succeeded-max is 0");
    }

    @Test
    void schedulesThatRunAwayTogetherAreRefused() {
        Map<String, Object> many = good();
        for (int i = 0; i < 101; i++) {
            many.put("tandem.schedules.s" + i + ".queue", "reports");
            many.put("tandem.schedules.s" + i + ".type", "report");
            many.put("tandem.schedules.s" + i + ".cron", "* * * * * *");
        }
        assertThat(problems(many))
                .singleElement()
                .asString()
                .contains("tandem.schedules is '101 firings a second'")
                .contains("may fire 100 times a second together")
                .contains("make cron or every rarer");
    }

    @Test
    void oneThatIsSwitchedOffIsNotChecked() {
        Map<String, Object> off = good();
        off.put("tandem.schedules.nightly.cron", "nonsense");
        off.put("tandem.schedules.nightly.enabled", "false");
        assertThat(load(off).schedules().get("nightly").enabled()).isFalse();
    }

    @Test
    void anIdThatSpringBootWouldChangeIsRefused() {
        Map<String, Object> renamed = good();
        renamed.put("tandem.schedules.my_job.every", "1h");
        assertThat(problems(renamed))
                .singleElement()
                .asString()
                .contains("the id of a schedule with other characters than letters, digits and hyphens must be written"
                        + " in brackets, in YAML as \"[my_job]\":");
        Map<String, Object> dotted = good();
        dotted.put("tandem.schedules[my.job_7].every", "1h");
        dotted.put("tandem.schedules[my.job_7].queue", "reports");
        dotted.put("tandem.schedules[my.job_7].type", "report");
        assertThat(load(dotted).schedules()).containsKey("my.job_7");
    }
}
