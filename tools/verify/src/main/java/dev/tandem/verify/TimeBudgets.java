package dev.tandem.verify;

import dev.tandem.verify.check.CheckerRule;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.check.TrialStatistics;
import dev.tandem.verify.check.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** How fast things must be well again. Measured, not judged: a busy machine misses them and breaks no guarantee. */
final class TimeBudgets {

    private static final Duration KILL = Duration.ofSeconds(15);
    private static final Duration TAKE_OVER = Duration.ofSeconds(2);
    private static final Duration SILENCE = Duration.ofSeconds(2);
    private static final Duration STUCK = Duration.ofSeconds(1);
    /** Three horizons. */
    private static final Duration LAG = Duration.ofSeconds(9);

    private static final Duration USUAL_LEASE = Duration.ofSeconds(10);

    /** @param measured null if nothing of the kind happened */
    record Line(String what, String atMost, @Nullable String measured, boolean reached) {}

    private TimeBudgets() {}

    static List<Line> of(List<TrialResult> results, Duration lease) {
        List<Line> lines = new ArrayList<>();
        // Kafka's session, and the lease, give the pace; another lease than the usual one another pace.
        Duration kill = KILL.minus(USUAL_LEASE).plus(lease);
        for (boolean rabbit : new boolean[] {false, true}) {
            String where = rabbit ? " (RabbitMQ)" : " (Kafka)";
            List<TrialResult> there = results.stream()
                    .filter(result -> result.workload().isRabbit() == rabbit)
                    .toList();
            lines.add(recovery(
                    "kill -9: all its tasks run again, p99" + where, there, name -> name.equals("kill"), kill));
            lines.add(recovery(
                    "a frozen executor's tasks are taken over, p99" + where,
                    there,
                    name -> name.startsWith("freeze") && !name.contains("+"),
                    lease.plus(TAKE_OVER)));
        }
        for (boolean rabbit : new boolean[] {false, true}) {
            long wait = worst(results, "none", rabbit, TrialStatistics::waitP99);
            lines.add(new Line(
                    "other keys' p99 from publishing to start while keys are stuck"
                            + (rabbit ? " (RabbitMQ)" : " (Kafka)"),
                    VerifyReport.seconds(STUCK.toNanos()),
                    wait < 0 ? null : String.format(Locale.ROOT, "%.0f ms", wait / 1e6),
                    wait <= STUCK.toNanos()));
        }
        long lag = worst(results, "none", false, TrialStatistics::lag);
        lines.add(new Line(
                "oldest uncommitted task while keys are stuck",
                VerifyReport.seconds(LAG.toNanos()),
                lag < 0 ? null : VerifyReport.seconds(lag),
                lag <= LAG.toNanos()));
        // Whoever can't reach Kafka is out of its group after a session; who can't reach Redis is not, and keeps its
        // share.
        Duration takenOver = lease.plus(TAKE_OVER);
        lines.add(silence("cut off from Kafka: ", results, "partition-broker", false, takenOver));
        lines.add(silence("cut off from RabbitMQ: ", results, "partition-broker", true, takenOver));
        lines.add(silence("cut off from Redis (RabbitMQ): ", results, "partition-redis", true, takenOver));
        for (String fault : List.of("churn", "rolling")) {
            String what = fault.equals("churn") ? "executors that leave" : "rolling restart";
            List<TrialStatistics> figures = figures(results, name -> name.equals(fault));
            boolean any = !figures.isEmpty();
            long lost = broken(results, fault, CheckerRule.NOTHING_LOST) + broken(results, fault, CheckerRule.ALL_DONE);
            lines.add(new Line(what + ": trials with lost tasks", "0", any ? Long.toString(lost) : null, lost == 0));
            long twice = figures.stream()
                    .mapToLong(each -> each.duplicated() + each.interrupted())
                    .sum();
            lines.add(new Line(what + ": duplicates", "0", any ? Long.toString(twice) : null, twice == 0));
            long spent = broken(results, fault, CheckerRule.ATTEMPTS);
            lines.add(new Line(
                    what + ": trials with attempts spent", "0", any ? Long.toString(spent) : null, spent == 0));
            long wait = figures.stream()
                    .mapToLong(TrialStatistics::longestWait)
                    .max()
                    .orElse(0);
            lines.add(new Line(
                    what + ": longest wait of a task of a well key",
                    VerifyReport.seconds(SILENCE.toNanos()),
                    any ? VerifyReport.seconds(wait) : null,
                    wait <= SILENCE.toNanos()));
        }
        return lines;
    }

    private static Line silence(String what, List<TrialResult> results, String fault, boolean rabbit, Duration most) {
        long wait = worst(results, fault, rabbit, TrialStatistics::longestWait);
        return new Line(
                what + "longest wait of a task of a well key",
                VerifyReport.seconds(most.toNanos()),
                wait < 0 ? null : VerifyReport.seconds(wait),
                wait <= most.toNanos());
    }

    /** The worst of the trials of a fault; -1 if there is none. */
    private static long worst(
            List<TrialResult> results, String fault, boolean rabbit, ToLongFunction<TrialStatistics> of) {
        List<TrialResult> there = results.stream()
                .filter(result -> result.workload().isRabbit() == rabbit)
                .toList();
        return figures(there, name -> name.equals(fault)).stream()
                .mapToLong(of)
                .max()
                .orElse(-1);
    }

    private static Line recovery(String what, List<TrialResult> results, Predicate<String> fault, Duration most) {
        List<Long> all = figures(results, fault).stream()
                .flatMap(each -> each.recoveries().stream())
                .sorted()
                .toList();
        if (all.isEmpty()) {
            return new Line(what, VerifyReport.seconds(most.toNanos()), null, false);
        }
        long p99 = all.get((int) Math.ceil(all.size() * 0.99) - 1);
        return new Line(what, VerifyReport.seconds(most.toNanos()), VerifyReport.seconds(p99), p99 <= most.toNanos());
    }

    private static List<TrialStatistics> figures(List<TrialResult> results, Predicate<String> fault) {
        return results.stream()
                .filter(result -> fault.test(result.fault().name()))
                .map(TrialResult::judgement)
                .filter(Objects::nonNull)
                .map(Judgement::figures)
                .toList();
    }

    private static long broken(List<TrialResult> results, String fault, CheckerRule rule) {
        return results.stream()
                .filter(result -> result.fault().name().equals(fault))
                .map(TrialResult::judgement)
                .filter(Objects::nonNull)
                .filter(judgement -> judgement.verdicts().get(rule) instanceof Verdict.Broken)
                .count();
    }
}
