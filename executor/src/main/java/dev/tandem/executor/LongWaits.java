package dev.tandem.executor;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The runs that wait for permits of several limits. Others get each permit of one limit while there is none of the other, so a run
 * that has waited for some seconds reserves its limits. No I/O and no clock. Guarded by the {@link Permits}.
 */
final class LongWaits {

    /** A run reserves its limits when it has waited for so long. */
    static final long OLD_MILLIS = 3_000;

    /** The oldest first. */
    private final Set<Applicant> all = new LinkedHashSet<>();

    /** Adds a run that begins to wait. One of a single limit is left out, since nobody passes it. */
    void add(Applicant applicant) {
        if (applicant.needsSeveral()) {
            all.add(applicant);
        }
    }

    void remove(Applicant applicant) {
        all.remove(applicant);
    }

    /** Lets the runs that have waited for long reserve their limits, the oldest first. A limit is reserved for one run at a time. */
    void reserve(long now) {
        Set<PermitLimit> taken = new HashSet<>();
        for (Applicant each : all) {
            if (now - each.waitingSince() < OLD_MILLIS) {
                return;
            }
            if (each.limits.stream().noneMatch(limit -> limit.reserver() != null || taken.contains(limit))) {
                each.limits.forEach(limit -> limit.reserveFor(each, now));
            }
            // Also where an older run still lacks one, so that younger ones do not pass it.
            taken.addAll(each.limits);
        }
    }
}
