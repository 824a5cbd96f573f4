package dev.tandem.runtime.schedules;

import dev.tandem.task.schedule.ScheduleBook.Claim;
import dev.tandem.task.schedule.ScheduleBook.Mark;

/** Port: what {@link FiringCore} has decided. Each command but {@code report} is answered by one call of the core, or by none. */
interface FiringCommands {

    /** Claims a firing, or keeps a claim: {@link FiringCore#claimed} or {@link FiringCore#unanswered}. */
    void claim(Claim claim);

    /** Submits the task of a firing: {@link FiringCore#submitted} or {@link FiringCore#submitFailed}. */
    void submit(Schedule schedule, long instant);

    /** Asks whether the task of an earlier firing has ended: {@link FiringCore#looked}. */
    void look(Schedule schedule, long instant);

    /** Asks for the task of an earlier firing to be cancelled. Has no answer: the next look says whether it has ended. */
    void cancel(Schedule schedule, long instant);

    /** Says that the task of a firing has ended. Has no answer. */
    void ended(Schedule schedule, long instant);

    /** Marks a claim as done: {@link FiringCore#marked} or {@link FiringCore#unanswered}. */
    void mark(Mark mark);

    /** Measures a claim that is marked. @param lateMillis how long after its time the instant fired */
    void report(Schedule schedule, Mark mark, long lateMillis);
}
