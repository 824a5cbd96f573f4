package dev.tandem.runtime.schedules;

import dev.tandem.api.Overlap;
import dev.tandem.runtime.schedules.FiringState.Phase;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Announced;
import dev.tandem.task.schedule.ScheduleBook.Claim;
import dev.tandem.task.schedule.ScheduleBook.Claimed;
import dev.tandem.task.schedule.ScheduleBook.Known;
import dev.tandem.task.schedule.ScheduleBook.Mark;
import dev.tandem.task.schedule.ScheduleBook.Standing;
import dev.tandem.task.schedule.ScheduleBook.Verdict;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Decides when this program fires which of its schedules. An instant is claimed, its task is submitted and accepted by its
 * broker, and only then it is marked as fired. So no death loses an instant; one between the acceptance and the mark repeats the
 * task, with the same id and deduplication key. No I/O, no clock, and one thread.
 */
final class FiringCore {

    /** A claim is kept long before it ends. */
    private static final long KEEP_MILLIS = ScheduleBook.CLAIM_MILLIS / 3;

    private static final long OLD_MILLIS = ScheduleBook.CLAIM_MILLIS * 3 / 4;

    private static final long RETRY_MILLIS = 1_000;
    private static final long REFUSED_RETRY_MILLIS = 30_000;
    private static final long LOOK_MILLIS = 30_000;

    /** The longest time that a firing waits for the end of a task that it has cancelled. */
    private static final long CANCEL_MILLIS = 5_000;

    /** The most schedules that one turn plans. After a long outage each takes milliseconds, and claims must be kept. */
    static final int MOST_PLANS = 100;

    /** The time for which a task that nobody knows counts as one that has not ended. */
    static final long UNKNOWN_TASK_MILLIS = 86_400_000;

    private final FiringCommands commands;
    private final FiringStates states;

    private boolean stopped;
    /** The number of schedules that were planned in this turn. */
    private int plans;

    FiringCore(Collection<Schedule> schedules, FiringCommands commands) {
        this.commands = commands;
        this.states = new FiringStates(schedules);
    }

    /** Returns the announcements of this program's schedules, which are to be sent every few seconds. */
    List<Announced> announcements() {
        return states.announcements();
    }

    /** Returns whether a schedule is new since the last time, so that the announcements are to be said now. */
    boolean takeUnannounced() {
        return states.takeUnannounced();
    }

    /**
     * Takes the schedules that somebody created and this program fires too. What is under way by a former definition ends first.
     *
     * @return the ids for which the program has a schedule of its own, which does not fire
     */
    Set<String> adopt(Map<String, CreatedSchedule> created) {
        return states.adopt(created);
    }

    /** Takes an answer to an announcement. @return whether the definition must be sent now */
    boolean announced(String id, Known known) {
        FiringState state = states.find(id);
        if (state == null) {
            return false;
        }
        state.current = known.standing() == Standing.CURRENT;
        state.sendsDefinition = known.standing() == Standing.UNKNOWN;
        state.paused = known.paused();
        state.asked = known.asked();
        if (!state.phase.holds()) {
            state.open = known.open();
        }
        moveTo(state, known.fired());
        return state.sendsDefinition;
    }

    private static void moveTo(FiringState state, long fired) {
        if (fired > state.fired) {
            state.fired = fired;
            state.plan = null;
        }
    }

    /** Does what is due. @return when the next step is due; {@link FiringPlan#NEVER} if none is known */
    long turn(long now) {
        long next = FiringPlan.NEVER;
        plans = 0;
        states.replace();
        for (FiringState state : states.all()) {
            next = Math.min(next, state.phase.holds() ? hold(state, now) : begin(state, now));
        }
        return next;
    }

    private long begin(FiringState state, long now) {
        if (stopped
                || state.retired
                || state.phase == Phase.CLAIMING
                || !state.current
                || state.fired == ScheduleBook.NONE) {
            return FiringPlan.NEVER;
        }
        if (state.open != ScheduleBook.NONE && now - state.lookedAt >= LOOK_MILLIS) {
            state.lookedAt = now;
            commands.look(state.schedule, state.open);
        }
        if (state.asked != ScheduleBook.NONE) {
            return now < state.notBefore
                    ? state.notBefore
                    : claim(state, new FiringPlan(now, true, state.asked, 0), true, now);
        }
        if (state.paused) {
            return FiringPlan.NEVER;
        }
        if (now < state.notBefore) {
            return state.notBefore;
        }
        FiringPlan plan = state.plan;
        if (plan == null || plan.at() <= now) {
            if (plans++ >= MOST_PLANS) {
                return now;
            }
            plan = FiringPlan.of(state.schedule, state.fired, now);
            state.plan = plan;
        }
        return plan.at() > now ? plan.at() : claim(state, plan, false, now);
    }

    private long claim(FiringState state, FiringPlan plan, boolean asked, long now) {
        state.phase = Phase.CLAIMING;
        state.instant = plan.instant();
        state.fires = plan.fires();
        state.missed = plan.missed();
        state.forAsked = asked;
        state.claimedAt = now;
        commands.claim(claimOf(state));
        return FiringPlan.NEVER;
    }

    private static Claim claimOf(FiringState state) {
        return new Claim(state.schedule.id(), state.version, state.fired, state.instant, state.forAsked);
    }

    /** Whether a claim may have ended, because this program stood still. What is not submitted yet is claimed anew then. */
    private static boolean isOld(FiringState state, long now) {
        return now - state.claimedAt >= OLD_MILLIS;
    }

    private long hold(FiringState state, long now) {
        if (isOld(state, now) && state.phase.canBeGivenUp()) {
            state.phase = Phase.IDLE;
            state.notBefore = now;
            return begin(state, now);
        }
        if (now - state.claimedAt >= KEEP_MILLIS) {
            state.claimedAt = now;
            commands.claim(claimOf(state));
        }
        if (now >= state.notBefore) {
            switch (state.phase) {
                case RETRYING -> submit(state);
                case LOOKING -> look(state, now);
                case MARKING -> sendMark(state);
                default -> {
                    // Waits for its answer.
                }
            }
        }
        long keep = state.claimedAt + KEEP_MILLIS;
        return state.notBefore > now && state.notBefore != FiringPlan.NEVER ? Math.min(keep, state.notBefore) : keep;
    }

    /** Takes the answer to a claim, or to one that was kept. What is on its way to a broker cannot be taken back. */
    void claimed(String id, long instant, Claimed answer, long now) {
        FiringState state = states.find(id);
        if (state == null) {
            return;
        }
        boolean lost = state.phase.canBeGivenUp() && answer.verdict() != Verdict.CLAIMED;
        if ((state.phase != Phase.CLAIMING && !lost) || state.instant != instant) {
            return;
        }
        state.phase = Phase.IDLE;
        state.notBefore = now;
        state.open = answer.open();
        switch (answer.verdict()) {
            case CLAIMED -> {
                if (!stopped && !isOld(state, now)) {
                    fire(state, now);
                }
            }
            case BUSY -> state.notBefore = Math.min(answer.until(), now + ScheduleBook.CLAIM_MILLIS);
            case PAUSED -> state.paused = true;
            case REPLACED -> state.current = false;
            case MOVED -> {
                if (state.forAsked) {
                    state.asked = ScheduleBook.NONE;
                } else if (answer.fired() < state.fired) {
                    // The store has forgotten its last writes. This program has not.
                    mark(state, new Mark(id, state.fired, false, false, false, 0, false));
                } else {
                    moveTo(state, answer.fired());
                }
            }
        }
    }

    private void fire(FiringState state, long now) {
        if (!state.fires) {
            mark(state, new Mark(state.schedule.id(), state.instant, false, false, false, state.missed, false));
        } else if (remembersOpen(state.schedule) && state.open != ScheduleBook.NONE) {
            state.phase = Phase.LOOKING;
            state.lookingSince = now;
            look(state, now);
        } else {
            submit(state);
        }
    }

    private void look(FiringState state, long now) {
        state.notBefore = FiringPlan.NEVER;
        state.lookedAt = now;
        commands.look(state.schedule, state.open);
    }

    /** Takes what is known of the task of an earlier firing. */
    void looked(String id, long instant, TaskEnd end, long now) {
        FiringState state = states.find(id);
        if (state == null || state.open != instant) {
            return;
        }
        boolean ended = end == TaskEnd.ENDED || (end == TaskEnd.NOT_FOUND && now - instant >= UNKNOWN_TASK_MILLIS);
        if (ended) {
            state.open = ScheduleBook.NONE;
            commands.ended(state.schedule, instant);
        }
        if (state.phase != Phase.LOOKING || isOld(state, now)) {
            return;
        }
        if (ended) {
            submit(state);
        } else if (end == TaskEnd.UNKNOWN) {
            state.notBefore = now + RETRY_MILLIS;
        } else if (state.schedule.overlap() == Overlap.CANCEL) {
            cancel(state, instant, now);
        } else {
            mark(state, new Mark(state.schedule.id(), state.instant, state.forAsked, false, false, state.missed, true));
        }
    }

    /** Cancels the task of an earlier firing, and looks whether it has ended. A handler may take its time, or never end. */
    private void cancel(FiringState state, long instant, long now) {
        if (now - state.lookingSince >= CANCEL_MILLIS) {
            submit(state);
        } else {
            commands.cancel(state.schedule, instant);
            state.notBefore = now + RETRY_MILLIS;
        }
    }

    private static boolean remembersOpen(Schedule schedule) {
        return schedule.overlap() == Overlap.SKIP || schedule.overlap() == Overlap.CANCEL;
    }

    private void submit(FiringState state) {
        state.phase = Phase.SUBMITTING;
        state.notBefore = FiringPlan.NEVER;
        commands.submit(state.schedule, state.instant);
    }

    /** Hears that the broker has accepted the task of a firing. */
    void submitted(String id, long instant) {
        FiringState state = states.find(id);
        if (state != null && state.phase == Phase.SUBMITTING && state.instant == instant) {
            boolean open = remembersOpen(state.schedule);
            mark(state, new Mark(id, instant, state.forAsked, true, open, state.missed, false));
        }
    }

    /** The task of a firing was not accepted, or nobody knows. @param refused whether it cannot be accepted as it is */
    void submitFailed(String id, long instant, boolean refused, long now) {
        FiringState state = states.find(id);
        if (state != null && state.phase == Phase.SUBMITTING && state.instant == instant) {
            state.phase = Phase.RETRYING;
            state.notBefore = now + (refused ? REFUSED_RETRY_MILLIS : RETRY_MILLIS);
        }
    }

    private void mark(FiringState state, Mark mark) {
        state.phase = Phase.MARKING;
        state.mark = mark;
        sendMark(state);
    }

    private void sendMark(FiringState state) {
        state.notBefore = FiringPlan.NEVER;
        commands.mark(Objects.requireNonNull(state.mark));
    }

    /** Hears that the store has taken a mark. */
    void marked(String id, long instant, long now) {
        FiringState state = states.find(id);
        Mark mark = state == null ? null : state.mark;
        if (state == null || state.phase != Phase.MARKING || mark == null || mark.instant() != instant) {
            return;
        }
        state.phase = Phase.IDLE;
        state.mark = null;
        state.notBefore = now;
        state.plan = null;
        if (mark.asked()) {
            state.asked = ScheduleBook.NONE;
        } else {
            moveTo(state, instant);
        }
        if (mark.open()) {
            state.open = instant;
            state.lookedAt = now;
        }
        commands.report(state.schedule, mark, Math.max(0, now - dueAt(state, mark)));
    }

    private static long dueAt(FiringState state, Mark mark) {
        return mark.asked() ? mark.instant() : state.schedule.dueAt(mark.instant());
    }

    /** Hears that the store has not answered a claim or a mark. */
    void unanswered(String id, long now) {
        FiringState state = states.find(id);
        if (state == null) {
            return;
        }
        if (state.phase == Phase.CLAIMING) {
            // The claim may have been made: then it is made again.
            state.phase = Phase.IDLE;
            state.notBefore = now + RETRY_MILLIS;
        } else if (state.phase == Phase.MARKING) {
            state.notBefore = now + RETRY_MILLIS;
        }
    }

    /** Begins no further firing. Those that are claimed go on. */
    void stop() {
        stopped = true;
    }

    /** Returns whether some firing is claimed, and not marked yet. */
    boolean holdsClaims() {
        return states.all().stream().anyMatch(each -> each.phase.holds());
    }
}
