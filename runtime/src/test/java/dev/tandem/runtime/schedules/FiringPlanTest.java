package dev.tandem.runtime.schedules;

import static dev.tandem.runtime.schedules.ScheduleFixtures.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The next steps of schedules, in time and after an outage. */
class FiringPlanTest {

    private static final long MINUTE = 60_000;
    private static final long NINE = at("2026-11-23T09:00:00Z");
    private static final Schedule HOURLY = ScheduleFixtures.every("hourly", Duration.ofHours(1));

    private static FiringPlan plan(Misfire misfire, long fired, long now) {
        return FiringPlan.of(ScheduleFixtures.with(HOURLY, misfire), fired, now);
    }

    private static long hours(int count) {
        return NINE + count * 60 * MINUTE;
    }

    @Test
    void theNextInstantIsDueAtItsTime() {
        assertThat(plan(Misfire.ONE, NINE, NINE + 1)).isEqualTo(new FiringPlan(hours(1), true, hours(1), 0));
    }

    @Test
    void anInstantThatIsAMinuteLateStillFires() {
        for (Misfire each : Misfire.values()) {
            assertThat(plan(each, NINE, hours(1) + MINUTE)).isEqualTo(new FiringPlan(hours(1), true, hours(1), 0));
        }
    }

    @Test
    void oneFiresTheLatestOfTheMissedOnes() {
        assertThat(plan(Misfire.ONE, NINE, hours(5) + 2 * MINUTE))
                .isEqualTo(new FiringPlan(hours(5), true, hours(5), 4));
    }

    @Test
    void oneFiresOnlyTheOneThatIsInTimeIfThereIsOne() {
        assertThat(plan(Misfire.ONE, NINE, hours(5) + 1)).isEqualTo(new FiringPlan(hours(5), true, hours(5), 4));
        assertThat(plan(Misfire.ONE, hours(5), hours(5) + 1).at()).isEqualTo(hours(6));
    }

    @Test
    void allFiresEachOfThemTheOldestFirst() {
        assertThat(plan(Misfire.ALL, NINE, hours(3) + 2 * MINUTE))
                .isEqualTo(new FiringPlan(hours(1), true, hours(1), 0));
        assertThat(plan(Misfire.ALL, hours(1), hours(3) + 2 * MINUTE))
                .isEqualTo(new FiringPlan(hours(2), true, hours(2), 0));
    }

    @Test
    void allFiresTheLatestIfThereAreMoreThanItsBound() {
        assertThat(plan(Misfire.ALL, NINE, hours(100) + 2 * MINUTE))
                .isEqualTo(new FiringPlan(hours(96), true, hours(96), 95));
    }

    @Test
    void nonePassesOverTheMissedOnes() {
        assertThat(plan(Misfire.NONE, NINE, hours(5) + 2 * MINUTE))
                .isEqualTo(new FiringPlan(hours(5) + 2 * MINUTE, false, hours(5), 5));
        assertThat(plan(Misfire.NONE, NINE, hours(5) + 1)).isEqualTo(new FiringPlan(hours(5), true, hours(5), 4));
    }

    @Test
    void everySecondOfAYearIsPassedOverInNoTime() {
        Schedule seconds = ScheduleFixtures.every("seconds", Duration.ofSeconds(1));
        long later = NINE + Duration.ofDays(365).toMillis();
        FiringPlan plan = FiringPlan.of(seconds, NINE, later);
        assertThat(plan.instant()).isEqualTo(later - MINUTE);
        assertThat(plan.missed()).isEqualTo(FiringPlan.MOST_COUNTED);
        FiringPlan all = FiringPlan.of(ScheduleFixtures.with(seconds, Misfire.ALL), NINE, later);
        assertThat(all.instant()).isEqualTo(later - 4_000);
    }

    @Test
    void jitterPutsEachInstantOffByATimeOfItsOwn() {
        Schedule jittered = ScheduleFixtures.withJitter(HOURLY, Duration.ofMinutes(5));
        assertThat(jittered.dueAt(hours(1))).isBetween(hours(1), hours(1) + 5 * MINUTE);
        assertThat(jittered.dueAt(hours(1)) - hours(1)).isNotEqualTo(jittered.dueAt(hours(2)) - hours(2));
        FiringPlan plan = FiringPlan.of(jittered, NINE, NINE);
        assertThat(plan).isEqualTo(new FiringPlan(jittered.dueAt(hours(1)), true, hours(1), 0));
    }

    @Test
    void intervalsAreMultiplesSince1970() {
        Timing every = new Timing.Every(Duration.ofMinutes(7));
        Instant next = every.next(Instant.parse("2026-11-23T09:00:00Z"));
        assertThat(next.getEpochSecond() % 420).isZero();
        assertThat(every.next(next)).isEqualTo(next.plusSeconds(420));
    }

    @Test
    void definitionsAreReadAsTheyWereWritten() {
        Schedule cron = ScheduleFixtures.cron("nightly", "0 30 2 * * *", "Europe/Berlin");
        for (Schedule each : new Schedule[] {HOURLY, ScheduleFixtures.with(HOURLY, Overlap.SKIP)}) {
            assertThat(ScheduleJson.read(ScheduleJson.definition(each))).contains(each);
        }
        assertThat(ScheduleJson.read(ScheduleJson.definition(cron))
                        .orElseThrow()
                        .timing())
                .hasToString("0 30 2 * * * Europe/Berlin");
        assertThat(ScheduleJson.read("{\"every\": \"soon\"}")).isEmpty();
    }
}
