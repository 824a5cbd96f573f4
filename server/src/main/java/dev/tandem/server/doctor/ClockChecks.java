package dev.tandem.server.doctor;

import dev.tandem.server.findings.Finding;
import java.util.concurrent.TimeUnit;

/** Judges how far two clocks are apart. Pure. */
final class ClockChecks {

    private static final long WARNING_MILLIS = 1_000;
    private static final long PROBLEM_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private ClockChecks() {}

    /**
     * Compares a clock with that of this server.
     *
     * @param aheadMillis how far it is ahead
     * @param roundTripMillis how long the question took: the difference is not known more exactly than half of it
     */
    static Finding of(String subject, String whose, long aheadMillis, long roundTripMillis) {
        long apart = Math.max(0, Math.abs(aheadMillis) - roundTripMillis / 2);
        String text = "The clock of " + whose + " is " + Math.abs(aheadMillis) + " ms "
                + (aheadMillis < 0 ? "behind" : "ahead of") + " this server's";
        if (apart < WARNING_MILLIS) {
            return Finding.ok("clock", subject, "clock", text);
        }
        String remedy = "Keep the clocks of all machines in step (NTP): delays and expiries are off by that much";
        return apart < PROBLEM_MILLIS
                ? Finding.warning("clock", subject, "clock", text, remedy)
                : Finding.problem("clock", subject, "clock", text, remedy);
    }
}
