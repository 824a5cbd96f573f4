package dev.tandem.scheduler;

import java.util.HashSet;
import java.util.Set;

/** Tells the first failure of an outage from those that follow it, of several things that are tried again. Thread-safe. */
final class FailureStreak {

    // Guarded by this.
    private final Set<String> failing = new HashSet<>();

    /** Takes note of a failure. Returns whether nothing else is failing already, so that the log should say it. */
    synchronized boolean begins(String what) {
        boolean first = failing.isEmpty();
        failing.add(what);
        return first;
    }

    /** Takes note that this succeeded, or is not tried again. */
    synchronized void ended(String what) {
        failing.remove(what);
    }
}
