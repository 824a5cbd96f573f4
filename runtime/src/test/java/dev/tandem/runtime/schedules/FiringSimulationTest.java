package dev.tandem.runtime.schedules;

import static dev.tandem.runtime.schedules.ScheduleFixtures.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import dev.tandem.task.schedule.ScheduleBook.Announced;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Claim;
import dev.tandem.task.schedule.ScheduleBook.Claimed;
import dev.tandem.task.schedule.ScheduleBook.Known;
import dev.tandem.task.schedule.ScheduleBook.Mark;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Several programs with the same schedules, driven through random histories: each dies and is replaced at any moment, requests
 * and answers take their time or are lost. Each instant must have its task; a second task of an instant, which has the same id,
 * needs a death or a lost answer between the acceptance of the first one and its mark.
 */
class FiringSimulationTest {

    private static final int HISTORIES = Integer.getInteger("schedules.histories", 200);
    private static final long START = at("2026-10-25T00:10:00Z");

    private static final List<Schedule> SCHEDULES = List.of(
            ScheduleFixtures.of("seconds", new Timing.Every(Duration.ofSeconds(7)), Misfire.ALL, Overlap.ALLOW),
            ScheduleFixtures.cron("night", "0 */3 2-3 * * *", "Europe/Berlin"),
            ScheduleFixtures.with(ScheduleFixtures.every("skipping", Duration.ofSeconds(20)), Overlap.SKIP));

    @Test
    void eachInstantHasItsTaskWhateverDies() {
        int deaths = 0;
        int repeated = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            History history = new History(seed, new ModelScheduleBook());
            history.run(Duration.ofMinutes(30).toMillis());
            history.check();
            deaths += history.deaths;
            repeated += history.repeated;
        }
        assertThat(deaths).isPositive();
        assertThat(repeated).as("tasks that were submitted again").isPositive();
    }

    /** A store that gives a firing to whoever asks. */
    private static final class CarelessBook extends ModelScheduleBook {

        @Override
        public CompletionStage<List<Claimed>> claim(long now, String program, List<Claim> claims) {
            return super.claim(now, "the same for all", claims);
        }
    }

    @Test
    void noticesClaimsThatDoNotExclude() {
        assertThatThrownBy(() -> manyHistories(CarelessBook::new))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("tasks");
    }

    /** A store in which a claim is taken for a firing. */
    private static final class HastyBook extends ModelScheduleBook {

        @Override
        public CompletionStage<List<Claimed>> claim(long now, String program, List<Claim> claims) {
            CompletionStage<List<Claimed>> answers = super.claim(now, program, claims);
            List<Claimed> all = answers.toCompletableFuture().join();
            for (int i = 0; i < claims.size(); i++) {
                Claim claim = claims.get(i);
                if (all.get(i).verdict() == Verdict.CLAIMED && !claim.asked()) {
                    mark(now, program, List.of(new Mark(claim.id(), claim.instant(), false, true, false, 0, false)));
                }
            }
            return answers;
        }
    }

    @Test
    void noticesFiringsThatAreMarkedBeforeTheirSubmission() {
        assertThatThrownBy(() -> manyHistories(HastyBook::new)).isInstanceOf(AssertionError.class);
    }

    private static void manyHistories(Supplier<ModelScheduleBook> books) {
        for (int seed = 0; seed < 50; seed++) {
            History history = new History(seed, books.get());
            history.run(Duration.ofMinutes(10).toMillis());
            history.check();
        }
    }

    private record Event(long at, long number, Runnable step) {}

    private static final class History {

        private final Random random;
        private final int seed;
        private final ModelScheduleBook book;
        private final PriorityQueue<Event> events =
                new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
        private final Map<String, Integer> tasks = new HashMap<>();
        /** Firings that may be repeated: somebody died, or an answer was lost, before the mark. */
        private final Set<String> excused = new HashSet<>();

        private final Map<String, Long> ends = new HashMap<>();
        private final List<Program> programs = new ArrayList<>();
        private long now = START;
        private long counter;
        private int deaths;
        private int repeated;

        History(int seed, ModelScheduleBook book) {
            this.seed = seed;
            this.book = book;
            random = new Random(seed);
            for (int i = 0; i < 3; i++) {
                programs.add(new Program("p" + i + "-0"));
            }
        }

        void run(long millis) {
            for (int i = 0; i < programs.size(); i++) {
                int at = i;
                later(random.nextInt(2_000), () -> programs.get(at).start());
                later(20_000 + random.nextInt(60_000), () -> kill(at));
                later(random.nextInt(100_000), () -> freeze(at));
            }
            while (!events.isEmpty() && events.peek().at() <= START + millis) {
                Event event = events.poll();
                now = event.at();
                event.step().run();
            }
        }

        private void kill(int at) {
            deaths++;
            Program dead = programs.get(at);
            dead.alive = false;
            excused.addAll(dead.accepted);
            Program next = new Program("p" + at + "-" + deaths);
            programs.set(at, next);
            later(random.nextInt(8_000), next::start);
            later(10_000 + random.nextInt(90_000), () -> kill(at));
        }

        /** A program stands still, perhaps for longer than its claims hold. What it has given to a broker arrives. */
        private void freeze(int at) {
            Program frozen = programs.get(at);
            frozen.standsStillUntil = now + 1_000 + random.nextInt(20_000);
            excused.addAll(frozen.submitting);
            later(30_000 + random.nextInt(90_000), () -> freeze(at));
        }

        private void later(long millis, Runnable step) {
            events.add(new Event(now + millis, counter++, step));
        }

        void check() {
            long from = START + 3_000;
            long to = now - 90_000;
            for (Schedule schedule : SCHEDULES) {
                if (schedule.overlap() == Overlap.SKIP) {
                    continue;
                }
                for (Instant each = schedule.timing().next(Instant.ofEpochMilli(from));
                        each.toEpochMilli() < to;
                        each = schedule.timing().next(each)) {
                    assertThat(tasks).as("history %d", seed).containsKey(schedule.taskId(each.toEpochMilli()));
                }
            }
            tasks.forEach((id, count) -> {
                if (count > 1) {
                    repeated++;
                    assertThat(excused).as("history %d, %d tasks", seed, count).contains(id);
                }
            });
        }

        /** One process: its core, and what lies between it and the store and the brokers. */
        private final class Program implements FiringCommands {

            private final String name;
            private final FiringCore core = new FiringCore(SCHEDULES, this);
            /** Accepted, and not known here to be marked. */
            private final Set<String> accepted = new HashSet<>();

            /** Given to the client, and not known here to be marked. */
            private final Set<String> submitting = new HashSet<>();

            private boolean alive = true;
            private long standsStillUntil;
            private long since;

            Program(String name) {
                this.name = name;
            }

            void start() {
                if (!alive) {
                    return;
                }
                since = now;
                announce();
                tick();
            }

            private void tick() {
                if (now < standsStillUntil) {
                    later(standsStillUntil - now, this::tick);
                } else if (alive) {
                    core.turn(now);
                    later(200 + random.nextInt(100), this::tick);
                }
            }

            private void announce() {
                if (!alive) {
                    return;
                }
                List<Announced> all = core.announcements();
                later(10_000, this::announce);
                request(() -> {
                    List<Known> answers =
                            book.announce(now, since, all).toCompletableFuture().join();
                    answer(() -> {
                        boolean again = false;
                        for (int i = 0; i < all.size(); i++) {
                            again |= core.announced(all.get(i).id(), answers.get(i));
                        }
                        if (again) {
                            announceOnce();
                        }
                    });
                });
            }

            private void announceOnce() {
                List<Announced> all = core.announcements();
                request(() -> {
                    List<Known> answers =
                            book.announce(now, since, all).toCompletableFuture().join();
                    answer(() -> {
                        for (int i = 0; i < all.size(); i++) {
                            core.announced(all.get(i).id(), answers.get(i));
                        }
                    });
                });
            }

            /** Sends a request, which arrives even if its sender has died. */
            private void request(Runnable step) {
                later(1 + random.nextInt(5), step);
            }

            private void answer(Runnable step) {
                later(1 + random.nextInt(5), () -> {
                    if (now < standsStillUntil) {
                        later(standsStillUntil - now, () -> answer(step));
                    } else if (alive) {
                        step.run();
                        core.turn(now);
                    }
                });
            }

            @Override
            public void claim(Claim claim) {
                boolean lost = random.nextInt(50) == 0;
                request(() -> {
                    var answer = book.claim(now, name, List.of(claim))
                            .toCompletableFuture()
                            .join()
                            .get(0);
                    answer(() -> {
                        if (lost) {
                            core.unanswered(claim.id(), now);
                        } else {
                            core.claimed(claim.id(), claim.instant(), answer, now);
                        }
                    });
                });
            }

            @Override
            public void submit(Schedule schedule, long instant) {
                String id = schedule.taskId(instant);
                boolean unknown = random.nextInt(50) == 0;
                submitting.add(id);
                later(1 + random.nextInt(400), () -> {
                    // A broker has it, whatever its sender learns.
                    if (alive || random.nextBoolean()) {
                        tasks.merge(id, 1, Integer::sum);
                        ends.put(id, now + random.nextInt(40_000));
                        accepted.add(id);
                        if (!alive || unknown) {
                            excused.add(id);
                        }
                    }
                    answer(() -> {
                        if (unknown) {
                            core.submitFailed(schedule.id(), instant, false, now);
                        } else {
                            core.submitted(schedule.id(), instant);
                        }
                    });
                });
            }

            @Override
            public void look(Schedule schedule, long instant) {
                answer(() -> {
                    long end = ends.getOrDefault(schedule.taskId(instant), Long.MAX_VALUE);
                    core.looked(schedule.id(), instant, end <= now ? TaskEnd.ENDED : TaskEnd.ALIVE, now);
                });
            }

            @Override
            public void cancel(Schedule schedule, long instant) {
                request(() -> ends.merge(schedule.taskId(instant), now + 300, Math::min));
            }

            @Override
            public void ended(Schedule schedule, long instant) {
                request(() -> book.ended(now, schedule.id(), instant));
            }

            @Override
            public void mark(Mark mark) {
                boolean lost = random.nextInt(50) == 0;
                request(() -> {
                    book.mark(now, name, List.of(mark));
                    answer(() -> {
                        if (lost) {
                            core.unanswered(mark.id(), now);
                        } else {
                            core.marked(mark.id(), mark.instant(), now);
                        }
                    });
                });
            }

            @Override
            public void report(Schedule schedule, Mark mark, long lateMillis) {
                submitting.remove(schedule.taskId(mark.instant()));
                accepted.remove(schedule.taskId(mark.instant()));
                assertThat(mark.missed()).as("missed in history %d", seed).isZero();
            }
        }
    }

    @Test
    void aFiringThatWasAskedForComesOnceAlsoWhileTheScheduleIsPaused() {
        History history = new History(1, new ModelScheduleBook());
        history.later(30_000, () -> history.book.change(history.now, "night", Change.PAUSE));
        history.later(40_000, () -> history.book.change(history.now, "night", Change.FIRE));
        history.run(Duration.ofMinutes(10).toMillis());
        assertThat(history.tasks.keySet())
                .filteredOn(each -> each.startsWith("night@"))
                .hasSize(1);
    }

    @Test
    void aFiringIsSkippedWhileTheTaskOfAnEarlierOneHasNotEnded() {
        History history = new History(3, new ModelScheduleBook());
        history.run(Duration.ofMinutes(20).toMillis());
        List<Map.Entry<String, Long>> ends = history.ends.entrySet().stream()
                .filter(each -> each.getKey().startsWith("skipping@"))
                .sorted(Map.Entry.comparingByKey())
                .toList();
        assertThat(ends).hasSizeGreaterThan(10).hasSizeLessThan(55);
        for (int i = 1; i < ends.size(); i++) {
            String id = ends.get(i).getKey();
            long instant = at(id.substring(id.indexOf('@') + 1));
            if (!history.excused.contains(ends.get(i - 1).getKey())) {
                assertThat(ends.get(i - 1).getValue()).as(id).isLessThanOrEqualTo(instant + 15_000);
            }
        }
    }
}
