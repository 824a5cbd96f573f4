package dev.tandem.verify.check;

/** The result of one rule. A rule without a single case is not checked, rather than kept. */
public sealed interface Verdict {

    /**
     * The rule held.
     *
     * @param cases how often it was checked
     */
    record Kept(long cases) implements Verdict {}

    /**
     * The rule was violated.
     *
     * @param cases how often it was checked
     * @param violations how many of the cases violated it
     */
    record Broken(long cases, long violations) implements Verdict {}

    /**
     * The rule could not be checked.
     *
     * @param reason why, as reports say it
     */
    record NotChecked(String reason) implements Verdict {}
}
