package dev.tandem.executor;

import dev.tandem.ordering.QueueCore;
import dev.tandem.task.store.Registration.OperatorPause;

/** Stops the starts of a queue while it is paused, here or by an operator. Used by the loop's thread only. */
final class LoopPauses {

    private final QueueCore core;
    private final Gates gates;
    private final LoopStatus status;
    private boolean pausedHere;
    private OperatorPause pausedByOperator = OperatorPause.NO;

    LoopPauses(QueueCore core, Gates gates, LoopStatus status) {
        this.core = core;
        this.gates = gates;
        this.status = status;
    }

    void here(boolean paused) {
        pausedHere = paused;
        apply();
    }

    void byOperator(OperatorPause paused) {
        pausedByOperator = paused;
        apply();
    }

    private void apply() {
        status.paused(pausedByOperator, pausedHere);
        if (status.state() == QueueStatus.State.RUNNING) {
            boolean paused = pausedHere || pausedByOperator.holdsStarts();
            core.pauseStarts(paused);
            if (paused) {
                gates.turnAway();
            }
        }
    }
}
