package dev.tandem.verify.check;

/** What came of one rule. A rule that nothing was held against is not kept, it is not checked. */
public sealed interface Verdict {

    /**
     * It held.
     *
     * @param cases how often it was put to the test
     */
    record Kept(long cases) implements Verdict {}

    /**
     * It did not.
     *
     * @param times how many of the cases broke it
     */
    record Broken(long cases, long times) implements Verdict {}

    /**
     * Nothing can be said.
     *
     * @param why for people
     */
    record NotChecked(String why) implements Verdict {}
}
