package dev.tandem.verify;

import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.load.Workload;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The result of a trial.
 *
 * @param judgement null if the trial did not finish
 * @param problem why the trial did not finish, or was not tried
 * @param tried false if something that the trial needs is missing
 * @param folder folder of its events
 */
record TrialResult(
        Fault fault,
        Workload workload,
        long seed,
        @Nullable Judgement judgement,
        @Nullable String problem,
        boolean tried,
        @Nullable Path folder) {

    static TrialResult judged(TrialCase trialCase, long seed, Judgement judgement, Path folder) {
        return new TrialResult(trialCase.fault(), trialCase.workload(), seed, judgement, null, true, folder);
    }

    static TrialResult failed(TrialCase trialCase, long seed, String problem, Path folder) {
        return new TrialResult(trialCase.fault(), trialCase.workload(), seed, null, problem, true, folder);
    }

    static TrialResult notTried(TrialCase trialCase, long seed, String reason) {
        return new TrialResult(trialCase.fault(), trialCase.workload(), seed, null, reason, false, null);
    }

    /** Returns whether the trial passed, or was not tried. */
    boolean good() {
        return !tried || (judgement != null && judgement.passed());
    }
}
