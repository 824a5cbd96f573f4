package dev.tandem.verify;

import java.util.List;

/**
 * The report of a run.
 *
 * @param version version of Tandem
 * @param date date of the run
 * @param seed the seeds of all trials follow from this
 * @param machine description of the machine
 * @param extent how many trials there were, and which ones there was no time for
 * @param brokers the products that were used
 */
record VerifyReport(
        String version,
        String date,
        long seed,
        String machine,
        String extent,
        List<String> brokers,
        TrialSettings settings,
        List<TrialResult> results) {

    /** Returns whether at least one trial was tried, and none failed. */
    boolean good() {
        return results.stream().allMatch(TrialResult::good) && results.stream().anyMatch(TrialResult::tried);
    }

    List<TimeBudgets.Line> budgets() {
        return TimeBudgets.of(results, settings.lease());
    }

    /** Returns the report for people. */
    String markdown() {
        return new MarkdownReport(this).toString();
    }

    /** Returns the report for scripts. */
    String json() {
        return JsonReport.of(this);
    }
}
