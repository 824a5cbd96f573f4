package dev.tandem.runtime.schedules;

import static dev.tandem.runtime.schedules.ScheduleFixtures.at;
import static dev.tandem.runtime.schedules.ScheduleFixtures.cron;
import static dev.tandem.runtime.schedules.ScheduleFixtures.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.Overlap;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Claim;
import dev.tandem.task.schedule.ScheduleBook.Claimed;
import dev.tandem.task.schedule.ScheduleBook.Known;
import dev.tandem.task.schedule.ScheduleBook.Mark;
import dev.tandem.task.schedule.ScheduleBook.Standing;
import dev.tandem.task.schedule.ScheduleBook.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What one program decides about its schedules. */
class FiringCoreTest {

    private static final long NOW = at("2026-11-23T10:00:30Z");

    private final List<Claim> claims = new ArrayList<>();
    private final List<String> done = new ArrayList<>();

    private final FiringCommands commands = new FiringCommands() {
        @Override
        public void claim(Claim claim) {
            claims.add(claim);
        }

        @Override
        public void submit(Schedule schedule, long instant) {
            done.add("submit " + instant);
        }

        @Override
        public void look(Schedule schedule, long instant) {
            done.add("look at " + instant);
        }

        @Override
        public void cancel(Schedule schedule, long instant) {
            done.add("cancel " + instant);
        }

        @Override
        public void ended(Schedule schedule, long instant) {}

        @Override
        public void mark(Mark mark) {}

        @Override
        public void report(Schedule schedule, Mark mark, long lateMillis) {}
    };

    @Test
    void manySchedulesAreDecidedAboutInTimeAfterALongOutage() {
        List<Schedule> all = IntStream.range(0, 10_000)
                .mapToObj(i -> cron("minutely-" + i, "* * * * *", "Europe/Zurich"))
                .toList();
        FiringCore core = new FiringCore(all, commands);
        long twoMonthsAgo = NOW - Duration.ofDays(60).toMillis();
        all.forEach(each -> core.announced(
                each.id(), new Known(Standing.CURRENT, twoMonthsAgo, false, ScheduleBook.NONE, ScheduleBook.NONE)));

        while (claims.size() < all.size()) {
            int begun = claims.size();
            core.turn(NOW);
            assertThat(claims.size() - begun)
                    .as("claims must be kept meanwhile")
                    .isBetween(1, FiringCore.MOST_PLANS);
        }

        List.copyOf(claims)
                .forEach(each -> core.claimed(
                        each.id(), each.instant(), new Claimed(Verdict.BUSY, each.fired(), NOW + 10_000, -1), NOW));
        long before = System.nanoTime();
        for (int i = 0; i < 10; i++) {
            assertThat(core.turn(NOW + 1_000 + i))
                    .as("when the others' claims end")
                    .isEqualTo(NOW + 10_000);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(60));
        assertThat(claims).hasSize(all.size());
    }

    @Test
    void anEarlierTaskIsCancelledAndItsEndIsWaitedForForFiveSeconds() {
        Schedule minutely = with(cron("minutely", "* * * * *", "UTC"), Overlap.CANCEL);
        long before = at("2026-11-23T09:59:00Z");
        long instant = at("2026-11-23T10:00:00Z");
        for (TaskEnd last : List.of(TaskEnd.ENDED, TaskEnd.ALIVE, TaskEnd.NOT_FOUND)) {
            done.clear();
            FiringCore core = new FiringCore(List.of(minutely), commands);
            core.announced(
                    "minutely", new Known(Standing.CURRENT, before, false, ScheduleBook.NONE, ScheduleBook.NONE));
            core.turn(instant);
            core.claimed("minutely", instant, new Claimed(Verdict.CLAIMED, before, -1, before), instant);
            core.looked("minutely", before, TaskEnd.ALIVE, instant);
            assertThat(done).containsExactly("look at " + before, "cancel " + before);

            core.turn(instant + 1_000);
            core.looked("minutely", before, TaskEnd.UNKNOWN, instant + 1_000);
            long end = last == TaskEnd.ENDED ? instant + 2_000 : instant + 5_000;
            core.turn(end);
            core.looked("minutely", before, last, end);
            assertThat(done).last().isEqualTo("submit " + instant);
            assertThat(done).hasSize(5);
        }
    }
}
