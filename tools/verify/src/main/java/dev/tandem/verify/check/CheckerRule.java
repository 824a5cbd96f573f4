package dev.tandem.verify.check;

/** What is judged of a trial. The numbers are those of the guarantees in {@code docs/guarantees.md}. */
public enum CheckerRule {
    /** 1: every acknowledged task has ended, or is still held. */
    NOTHING_LOST(1, "no acknowledged task is lost"),
    /** 1: nothing stays unfinished that nothing stands in the way of. */
    ALL_DONE(1, "all that could run has run"),
    /** 1: what lies below a committed offset had ended, or was in the store. */
    CUSTODY(1, "what was committed had ended or was held"),
    /** 2: of two tasks of a key the one that came first has ended before the other starts. */
    ORDER(2, "order per key of first starts"),
    /** 3: two claims of a key are never both valid. */
    EXCLUSION(3, "no two valid claims of a key at once"),
    /** 3: a handler starts only under a claim that its process still holds. */
    LEASED_START(3, "handlers start only under a valid claim"),
    /** 4: the tokens of a key grow from start to start. */
    TOKENS(4, "tokens grow"),
    /** 4: tokens lie within the epoch of their owner, and nothing is claimed under one that was replaced. */
    EPOCHS(4, "an epoch is given once, and a former owner claims nothing more"),
    /** 5: what ran again had not been recorded, and there is a fault that explains why. */
    DUPLICATES(5, "every duplicate is explained by a fault"),
    /** 5: attempts are spent by runs and by deaths only. */
    ATTEMPTS(5, "no attempt is spent without a run or a fault"),
    /** 6: keys that nothing is wrong with do not wait for those that are stuck. */
    INDEPENDENCE(6, "other keys go on while one is stuck"),
    /** 6: neither does the committed offset. */
    COMMIT_LAG(6, "the committed offset goes on while a key is stuck"),
    /** The faults met something. */
    NOT_VACUOUS(0, "the fault hit something");

    private final int guarantee;
    private final String text;

    CheckerRule(int guarantee, String text) {
        this.guarantee = guarantee;
        this.text = text;
    }

    /** The number of the guarantee; 0 for none. */
    public int guarantee() {
        return guarantee;
    }

    /** For people. */
    public String text() {
        return text;
    }
}
