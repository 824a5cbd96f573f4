package dev.tandem.verify;

import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.load.Workload;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What came of a trial.
 *
 * @param judgement null if it could not be carried out
 * @param problem why it could not, or why it was not tried
 * @param tried false: something that it needs is not there
 * @param folder of its events
 */
record TrialResult(
        Fault fault,
        Workload workload,
        long seed,
        @Nullable Judgement judgement,
        @Nullable String problem,
        boolean tried,
        @Nullable Path folder) {

    /** It was carried out and broke no rule, or was not tried. */
    boolean good() {
        return !tried || (judgement != null && judgement.passed());
    }
}
