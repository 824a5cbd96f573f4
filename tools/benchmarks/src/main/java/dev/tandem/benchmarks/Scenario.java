package dev.tandem.benchmarks;

import java.util.List;

/** A benchmark, which measures one aspect of Tandem. */
interface Scenario {

    /** Its name on the command line. */
    String name();

    /** Describes what it measures, for people. */
    String about();

    /**
     * Runs the benchmark.
     *
     * @throws Exception if it cannot be measured; the other scenarios are run nevertheless
     */
    List<Measurement> run(ScenarioContext context) throws Exception;
}
