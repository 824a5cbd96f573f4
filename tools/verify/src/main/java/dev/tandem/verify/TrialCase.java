package dev.tandem.verify;

import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.load.Workload;

/** A fault under a workload. */
record TrialCase(Fault fault, Workload workload) {

    boolean isOf(TrialResult result) {
        return result.fault().equals(fault) && result.workload() == workload;
    }
}
