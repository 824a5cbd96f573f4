package dev.tandem.ordering;

import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;

/** When each periodic request of an owner is due, in the core's monotonic milliseconds. */
final class RequestTimers {

    static final long NEVER = Long.MAX_VALUE;

    private final QueueContext context;
    private final CoreSettings settings;

    private long renewAt;
    private long adoptAt;
    private long probedAt;
    private long dueAt = NEVER;
    private boolean dueInFlight;
    /** Whether more is due than can be taken: there is no room for offers. */
    private boolean dueStalled;
    /** Whether what is due can only be claimed, and the last request had no slot for that. */
    private boolean dueAwaitsSlot;

    private long lapseAt = NEVER;
    private boolean patrolInFlight;
    private long quietUntil;
    private long lastAnswerAt;
    private long extendMillis;
    private long fullRetryAt;
    private long roomAt;

    RequestTimers(QueueContext context) {
        this.context = context;
        this.settings = context.settings;
    }

    /** Begins a new assignment. */
    void assigned() {
        lastAnswerAt = context.now();
        extendMillis = 0;
    }

    /** Begins a new ownership. {@code restarted}: the store's process is another one than before. */
    void acquired(StoreAnswer.Acquired answer, boolean restarted) {
        long now = context.now();
        answered();
        extendMillis = restarted ? settings.leaseMillis() : extendMillis;
        renewAt = now + settings.renewMillis();
        adoptAt = now + settings.probeMillis();
        dueInFlight = false;
        dueStalled = false;
        dueAwaitsSlot = false;
        patrolInFlight = false;
        dueAt = after(answer.nextDueMillis());
        lapseAt = after(answer.nextLapseMillis());
        quietUntil = now + answer.quietMillis();
    }

    /** Returns the time in so many milliseconds; {@link #NEVER} for a negative number. */
    private long after(long millis) {
        return millis < 0 ? NEVER : context.now() + millis;
    }

    // ---- answers ----

    /** Notes an answer. After half a lease without one, leases of others may only seem to have run out. */
    void answered() {
        if (isStoreSilent()) {
            extendMillis = settings.leaseMillis();
        }
        lastAnswerAt = context.now();
    }

    private boolean isStoreSilent() {
        return context.now() - lastAnswerAt > settings.leaseMillis() / 2;
    }

    long lastAnswerAt() {
        return lastAnswerAt;
    }

    // ---- renewals and probes ----

    /** @return whether a renewal is due, once */
    boolean takeRenewal() {
        boolean due = context.now() >= renewAt;
        if (due) {
            renewAt = context.now() + settings.renewMillis();
        }
        return due;
    }

    long renewAt() {
        return renewAt;
    }

    void probed() {
        probedAt = context.now();
    }

    /** @param provableAt when a probe could first prove something; {@link #NEVER} if nothing waits */
    long probeAt(long provableAt) {
        return provableAt == NEVER ? NEVER : Math.max(provableAt, probedAt + settings.probeMillis());
    }

    // ---- adoptions ----

    /** How long a run lasts before its task is adopted. */
    long adoptAfter() {
        return Math.max(settings.horizonMillis(), settings.probeMillis());
    }

    /** How long a task has waited for others of its key when it is adopted because memory is full. */
    long adoptAfterIfFull() {
        return 2 * settings.probeMillis();
    }

    /** @return whether long runs and slow lanes must be looked for, once */
    boolean takeAdoptionCheck() {
        boolean due = context.now() >= adoptAt;
        if (due) {
            adoptAt = context.now() + settings.probeMillis();
        }
        return due;
    }

    long adoptAt() {
        return adoptAt;
    }

    // ---- due tasks ----

    /** Notes what the store said: the next task is due in so many milliseconds; a negative number says that none is. */
    void nextDue(long millis) {
        dueAt = Math.min(dueAt, after(millis));
    }

    /** Notes that a task falls due after this delay. */
    void dueAfter(long delayMillis) {
        dueAt = Math.min(dueAt, context.now() + delayMillis);
    }

    /** @param room whether there is room for many offers */
    boolean isDueRequestDue(boolean room) {
        long at = dueStalled && room ? context.now() : dueAt;
        return context.now() >= Math.max(at, quietUntil) && !dueInFlight;
    }

    void dueSent() {
        dueInFlight = true;
    }

    void dueAnswered(StoreRequest.ClaimDue request, StoreAnswer.DueTasks answer) {
        dueInFlight = false;
        dueStalled =
                answer.more() && answer.claimed().isEmpty() && answer.offered().isEmpty();
        dueAwaitsSlot = dueStalled && request.maxClaims() == 0;
        if (dueStalled) {
            dueAt = context.now() + settings.retryMillis();
        } else {
            dueAt = answer.more() ? context.now() : after(answer.nextDueMillis());
        }
    }

    /** Whether a request for due tasks is of no use without a slot. */
    boolean dueAwaitsSlot() {
        return dueAwaitsSlot;
    }

    /** When a request for due tasks is due; {@link #NEVER} while one is in flight. */
    long dueRequestAt() {
        return dueInFlight ? NEVER : Math.max(dueAt, quietUntil);
    }

    /** Whether tasks may be due that only need a slot. */
    boolean isDueWaiting() {
        return dueRequestAt() <= context.now();
    }

    // ---- lapsed claims ----

    /** @return whether a patrol is due, once until its answer comes */
    boolean takePatrol() {
        boolean due = context.now() >= lapseAt && !patrolInFlight;
        patrolInFlight |= due;
        return due;
    }

    /**
     * Returns by how much the patrol must extend all leases, once. After a silence of the store, leases may only seem to have
     * expired.
     */
    long takeExtension() {
        long extend = isStoreSilent() ? settings.leaseMillis() : extendMillis;
        extendMillis = 0;
        return extend;
    }

    void patrolled(StoreAnswer.LeasesExpired answer) {
        patrolInFlight = false;
        lapsesIn(answer.nextLapseMillis());
        nextDue(answer.nextDueMillis());
    }

    /** The next claim lapses in so many milliseconds; a negative number says that none does. */
    void lapsesIn(long millis) {
        lapseAt = after(millis);
    }

    long patrolAt() {
        return patrolInFlight ? NEVER : lapseAt;
    }

    // ---- times in which something must not be done ----

    /** Whether nothing may be claimed yet: the store may have forgotten what others run. */
    boolean isQuiet() {
        return context.now() < quietUntil;
    }

    long quietUntil() {
        return quietUntil;
    }

    /** The store had no room for hand-overs. */
    void noRoom() {
        roomAt = context.now() + settings.retryMillis();
    }

    boolean mayHandOver() {
        return context.now() >= roomAt;
    }

    long roomAt() {
        return roomAt;
    }

    /** The store had no room for more tasks of one key. */
    void laneFull() {
        if (context.now() >= fullRetryAt) {
            fullRetryAt = context.now() + settings.retryMillis();
        }
    }

    /** @return whether full lanes may try again now, once */
    boolean takeFullRetry() {
        boolean due = context.now() >= fullRetryAt;
        if (due) {
            fullRetryAt = context.now() + settings.retryMillis();
        }
        return due;
    }

    long fullRetryAt() {
        return fullRetryAt;
    }
}
