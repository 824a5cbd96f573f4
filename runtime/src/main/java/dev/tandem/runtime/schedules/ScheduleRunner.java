package dev.tandem.runtime.schedules;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskClient;
import dev.tandem.task.FailureText;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Announced;
import dev.tandem.task.schedule.ScheduleBook.Claim;
import dev.tandem.task.schedule.ScheduleBook.Created;
import dev.tandem.task.schedule.ScheduleBook.Mark;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires the schedules of this program, together with all other programs that have them. One thread decides, and waits for
 * nothing: neither for the store nor for a broker. Thread-safe.
 */
public final class ScheduleRunner implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ScheduleRunner.class);

    static final long ANNOUNCE_MILLIS = 10_000;
    private static final long ANNOUNCE_AGAIN_MILLIS = 1_000;
    private static final long CLOSE_SECONDS = 5;

    private final Set<String> queues;
    private final ScheduleBook book;
    private final FiringEffects effects;
    private final FiringClock clock;
    private final String program;
    private final ScheduleMetrics metrics;
    private final FiringCore core;
    private final Commands commands = new Commands();
    private final CountDownLatch idle = new CountDownLatch(1);
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
        Thread made = new Thread(task, "tandem-schedules");
        made.setDaemon(true);
        return made;
    });

    // Used by the thread only.
    private long since;
    private boolean announcing;
    private boolean announceAgain;
    private boolean turnWaits;
    private boolean stopping;
    private @Nullable Future<?> wake;
    private Created created = Created.NONE;
    private final StandingLog standings = new StandingLog();
    private final Set<String> failing = new HashSet<>();

    private @Nullable AutoCloseable watch;

    /**
     * Returns what fires these schedules, not started yet.
     *
     * @param queues those whose created schedules this program fires too
     * @param client has all these queues, and those of the schedules. Not closed here
     * @param program names this program in claims, unlike any other
     */
    public static ScheduleRunner of(
            Collection<Schedule> schedules,
            Set<String> queues,
            ScheduleBook book,
            EarlierTasks earlier,
            TaskClient client,
            String program,
            ScheduleMetrics metrics) {
        return new ScheduleRunner(
                schedules, queues, book, new TaskEffects(client, earlier), FiringClock.ofStore(book), program, metrics);
    }

    ScheduleRunner(
            Collection<Schedule> schedules,
            Set<String> queues,
            ScheduleBook book,
            FiringEffects effects,
            FiringClock clock,
            String program,
            ScheduleMetrics metrics) {
        this.queues = Set.copyOf(queues);
        this.book = book;
        this.effects = effects;
        this.clock = clock;
        this.program = program;
        this.metrics = metrics;
        this.core = new FiringCore(schedules, commands);
        thread.setRemoveOnCancelPolicy(true);
    }

    /** Begins to fire. Does not wait for the store. */
    public void start() {
        watch = book.watch(() -> run(this::announce));
        run(this::announceRound);
    }

    /** Reads the clock now, for tests. */
    void wake() {
        run(() -> {});
    }

    /** Announces now, for tests. */
    void announceNow() {
        run(this::announce);
    }

    /** Stops at once, as if the process had died, for tests. */
    void kill() {
        thread.shutdownNow();
    }

    /** Stops: begins no further firing, and waits for those that it has claimed. */
    @Override
    public void close() {
        try {
            if (watch != null) {
                watch.close();
            }
            if (thread.isShutdown()) {
                return;
            }
            run(() -> {
                stopping = true;
                core.stop();
            });
            if (!idle.await(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                log.warn("A firing is still under way: another program with the schedule repeats it, with the same id");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            log.debug("Failed to end the watch for changes of schedules", e);
        } finally {
            thread.shutdownNow();
            effects.close();
        }
    }

    // The rest runs on the thread.

    /** Runs a step on the thread, and then what has become due. Steps that wait already share one turn, and its requests. */
    private void run(Runnable step) {
        execute(() -> {
            step.run();
            if (!turnWaits) {
                turnWaits = true;
                execute(this::turn);
            }
        });
    }

    private void execute(Runnable work) {
        try {
            thread.execute(() -> {
                try {
                    work.run();
                } catch (RejectedExecutionException e) {
                    // Closed meanwhile: nothing is put off any more.
                } catch (RuntimeException | Error e) {
                    log.error("A step of the schedules failed because of a bug", e);
                }
            });
        } catch (RejectedExecutionException e) {
            // Closed: nothing is due any more.
        }
    }

    private void turn() {
        turnWaits = false;
        long now = clock.millis();
        // Before the first announcement nothing is current, so that nothing is due.
        long next = core.turn(now);
        commands.flush();
        if (core.takeUnannounced()) {
            announce();
        }
        if (stopping && !core.holdsClaims()) {
            idle.countDown();
        }
        if (wake != null) {
            wake.cancel(false);
            wake = null;
        }
        if (next != FiringPlan.NEVER && !thread.isShutdown()) {
            long delay = Math.max(1, Math.min(ANNOUNCE_MILLIS, next - now));
            wake = thread.schedule(() -> run(() -> {}), delay, TimeUnit.MILLISECONDS);
        }
    }

    private void announceRound() {
        announce();
        Future<?> unused = thread.schedule(() -> run(this::announceRound), ANNOUNCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void announce() {
        if (announcing) {
            announceAgain = true;
            return;
        }
        announcing = true;
        announceAgain = false;
        then(
                clock.follow(),
                now -> then(book.created(created), this::adoptAndAnnounce, this::announceFailed),
                this::announceFailed);
    }

    private void adoptAndAnnounce(Created read) {
        if (read != created) {
            created = read;
            standings.tellHidden(core.adopt(CreatedSchedule.of(read, queues::contains)));
        }
        announceAll();
    }

    private void announceAll() {
        if (since == 0) {
            since = clock.millis();
        }
        List<Announced> all = core.announcements();
        then(
                book.announce(clock.millis(), since, all),
                answers -> {
                    announcing = false;
                    boolean again = announceAgain;
                    for (int i = 0; i < all.size(); i++) {
                        again |= core.announced(all.get(i).id(), answers.get(i));
                    }
                    standings.tell(all, answers);
                    if (again) {
                        announce();
                    }
                },
                this::announceFailed);
    }

    private void announceFailed(Throwable failure) {
        announcing = false;
        log.debug("Failed to announce the schedules", failure);
        Future<?> unused = thread.schedule(() -> run(this::announce), ANNOUNCE_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Hears of an answer on the thread. */
    private <T> void then(CompletionStage<T> stage, Consumer<? super T> answered, Consumer<Throwable> failed) {
        stage.whenComplete((answer, failure) -> run(() -> {
            if (failure == null) {
                answered.accept(answer);
            } else {
                failed.accept(
                        failure instanceof CompletionException && failure.getCause() != null
                                ? failure.getCause()
                                : failure);
            }
        }));
    }

    /** Carries out what the core decides. Claims and marks of one turn share requests. */
    private final class Commands implements FiringCommands {

        private List<Claim> claims = new ArrayList<>();
        private List<Mark> marks = new ArrayList<>();

        @Override
        public void claim(Claim claim) {
            claims.add(claim);
        }

        @Override
        public void mark(Mark mark) {
            marks.add(mark);
        }

        /** Sends what was collected. */
        private void flush() {
            List<Claim> claimed = claims;
            List<Mark> marked = marks;
            if (!marked.isEmpty()) {
                marks = new ArrayList<>();
                then(
                        book.mark(clock.millis(), program, marked),
                        done -> marked.forEach(each -> core.marked(each.id(), each.instant(), clock.millis())),
                        failure -> marked.forEach(each -> core.unanswered(each.id(), clock.millis())));
            }
            if (!claimed.isEmpty()) {
                claims = new ArrayList<>();
                then(
                        book.claim(clock.millis(), program, claimed),
                        answers -> {
                            for (int i = 0; i < claimed.size(); i++) {
                                Claim claim = claimed.get(i);
                                core.claimed(claim.id(), claim.instant(), answers.get(i), clock.millis());
                            }
                        },
                        failure -> claimed.forEach(each -> core.unanswered(each.id(), clock.millis())));
            }
        }

        @Override
        public void submit(Schedule schedule, long instant) {
            String id = schedule.id();
            then(
                    effects.submit(schedule, instant),
                    accepted -> {
                        failing.remove(id);
                        core.submitted(id, instant);
                    },
                    failure -> {
                        if (failing.add(id)) {
                            log.warn(
                                    "Schedule {}: the task {} was not accepted, and is submitted again until it is: {}",
                                    id,
                                    schedule.taskId(instant),
                                    FailureText.of(failure));
                        }
                        core.submitFailed(id, instant, failure instanceof InvalidTaskException, clock.millis());
                    });
        }

        @Override
        public void look(Schedule schedule, long instant) {
            then(
                    effects.look(schedule, instant),
                    end -> core.looked(schedule.id(), instant, end, clock.millis()),
                    failure -> core.looked(schedule.id(), instant, TaskEnd.UNKNOWN, clock.millis()));
        }

        @Override
        public void cancel(Schedule schedule, long instant) {
            then(
                    effects.cancel(schedule, instant),
                    done -> {},
                    failure -> log.debug("Failed to cancel the task {}", schedule.taskId(instant), failure));
        }

        @Override
        public void ended(Schedule schedule, long instant) {
            // If it is not answered, the next firing asks again.
            CompletionStage<Void> unused = book.ended(clock.millis(), schedule.id(), instant);
        }

        @Override
        public void report(Schedule schedule, Mark mark, long lateMillis) {
            if (mark.fired()) {
                metrics.fired(schedule.id(), schedule.queue(), lateMillis);
            }
            if (mark.missed() > 0) {
                log.warn(
                        "Schedule {}: {}{} firings were missed, because no program with the schedule could fire them in"
                                + " time",
                        schedule.id(),
                        mark.missed() >= FiringPlan.MOST_COUNTED ? "at least " : "",
                        mark.missed());
                metrics.missed(schedule.id(), schedule.queue(), mark.missed());
            }
            if (mark.skipped()) {
                log.info(
                        "Schedule {}: {} does not fire, because the task of an earlier firing has not ended",
                        schedule.id(),
                        schedule.taskId(mark.instant()));
                metrics.skipped(schedule.id(), schedule.queue());
            }
        }
    }
}
