package dev.tandem.server.api;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The numbers that are in force after a change, and those before. A kind of limit that the request does not change is null. */
record ChangedLimit(
        String name, @Nullable OfPermits limit, @Nullable OfRate rateLimit) {

    /**
     * A limit of tasks at once.
     *
     * @param maxRunning the most tasks at once; null if the settings hold again and this server does not know them
     * @param maxRunningBefore null if the settings held before and this server does not know them
     * @param running how many tasks ran just before the change
     * @param revision the one of the limit now
     */
    record OfPermits(@Nullable Integer maxRunning, @Nullable Integer maxRunningBefore, int running, String revision) {

        private String summary() {
            return "max-running " + known(maxRunning) + ", before " + known(maxRunningBefore);
        }

        private static String known(@Nullable Integer number) {
            return number == null ? AS_SET : number.toString();
        }
    }

    /**
     * A rate limit.
     *
     * @param rate null if the settings hold again and this server does not know them, as its burst is
     * @param rateBefore null if the settings held before and this server does not know them, as the burst is
     * @param revision the one of the rate limit now
     */
    record OfRate(
            @Nullable String rate,
            @Nullable Integer burst,
            @Nullable String rateBefore,
            @Nullable Integer burstBefore,
            String revision) {

        private String summary() {
            return "rate " + known(rate, burst) + ", before " + known(rateBefore, burstBefore);
        }

        private static String known(@Nullable String rate, @Nullable Integer burst) {
            return rate == null ? AS_SET : rate + " burst " + burst;
        }
    }

    private static final String AS_SET = "as the settings of the executors say";

    /** Returns a few words for the audit log. */
    String summary() {
        return Stream.concat(
                        Stream.ofNullable(limit).map(OfPermits::summary),
                        Stream.ofNullable(rateLimit).map(OfRate::summary))
                .collect(Collectors.joining("; "));
    }
}
