package dev.tandem.executor;

import org.jspecify.annotations.Nullable;

/** How this executor compares with the others of its queue, as of the last look. Written by the loop, read from any thread. */
final class HandlerComparison {

    private volatile HandlerAgreement.@Nullable Verdict verdict;

    void compared(HandlerAgreement.Verdict now) {
        verdict = now;
    }

    /** Returns whether tasks of this type go to another executor soon. */
    boolean areLeftToOthers(String type) {
        HandlerAgreement.Verdict last = verdict;
        return last != null && last.isLeftToOthers(type);
    }
}
