package dev.tandem.benchmarks;

import java.util.List;

/** One thing to measure. */
interface Scenario {

    /** As it is named on the command line. */
    String name();

    /** What it measures, for people. */
    String about();

    /**
     * Measures.
     *
     * @throws Exception if it can't be measured; the other scenarios are measured all the same
     */
    List<Measured> run(Lab lab) throws Exception;
}
