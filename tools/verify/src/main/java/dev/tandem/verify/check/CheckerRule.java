package dev.tandem.verify.check;

/** A rule that the checker applies. The numbers are those of the guarantees in {@code docs/guarantees.md}. */
public enum CheckerRule {
    /** 1: every acknowledged task has ended, or broker or store still hold it. */
    NOTHING_LOST(1, "no acknowledged task is lost"),
    /** 1: no task is left unfinished unless something blocks it. */
    ALL_DONE(1, "all that could run has run"),
    /** 1: every task below a committed offset has ended, or the store holds it. */
    CUSTODY(1, "what was committed had ended or was held"),
    /** 2: of two tasks with the same key, the earlier one ends before the later one starts. */
    ORDER(2, "order per key of first starts"),
    /** 3: two claims of a key are never valid at the same time. */
    EXCLUSION(3, "no two valid claims of a key at once"),
    /** 3: a handler starts only under a claim that its process still holds. */
    LEASED_START(3, "handlers start only under a valid claim"),
    /** 4: the tokens of a key grow from start to start. */
    TOKENS(4, "tokens grow"),
    /** 4: tokens lie within the epoch of their owner, and nothing is claimed under an epoch that was replaced. */
    EPOCHS(4, "an epoch is given once, and a former owner claims nothing more"),
    /** 5: a task runs again only if its outcome was not recorded, and a fault explains why. */
    DUPLICATES(5, "every duplicate is explained by a fault"),
    /** 5: only runs and faults spend attempts. */
    ATTEMPTS(5, "no attempt is spent without a run or a fault"),
    /** 6: tasks do not wait for stuck tasks of other keys. */
    INDEPENDENCE(6, "other keys go on while one is stuck"),
    /** 6: the committed offset does not wait for stuck tasks. */
    COMMIT_LAG(6, "the committed offset goes on while a key is stuck"),
    /** Of several tasks with one deduplication key, one runs. */
    DEDUPLICATION(0, "of the tasks with one deduplication key, one runs"),
    /** A task starts after the tasks that it waits for have succeeded. */
    DEPENDENCIES(0, "no task starts before those that it waits for"),
    /** No more tasks of a limit run at once than it allows. */
    LIMITS(0, "no limit is exceeded"),
    /** The final task of a fan-out comes once, after all subtasks have ended, with their right number. */
    FAN_OUTS(0, "one final task follows all subtasks, and counts each once"),
    /** A task whose time is over does not start, and ends as expired. */
    EXPIRY(0, "no task starts after its time, or expires before it"),
    /** A task that was cancelled does not start again. */
    CANCELLATIONS(0, "a cancelled task never starts again, and a success is one"),
    /** No more tasks begin than a rate limit allows. */
    RATES(0, "no rate limit is exceeded"),
    /** Of several tasks with one deduplication key and the mode keep-last or replace, the last one runs. */
    REPLACEMENTS(0, "of tasks that replace one another, the last one runs"),
    /** A run sees the last checkpoint that earlier runs have saved. */
    CHECKPOINTS(0, "a run sees the last checkpoint"),
    /** Each end of a task has its event, and those of a key come in order. */
    EVENTS(0, "each end has its event, in order per key"),
    /** Each instant of a schedule fires. */
    SCHEDULES(0, "each instant of a schedule fires its task"),
    /** The injected faults had an effect. */
    NOT_VACUOUS(0, "the fault hit something");

    private final int guarantee;
    private final String description;

    CheckerRule(int guarantee, String description) {
        this.guarantee = guarantee;
        this.description = description;
    }

    /** Returns the number of the guarantee; 0 for none. */
    public int guarantee() {
        return guarantee;
    }

    /** Returns the rule as reports name it. */
    public String description() {
        return description;
    }
}
