package dev.tandem.verify;

import dev.tandem.kit.Percentiles;
import dev.tandem.verify.check.CheckerRule;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.check.TrialStatistics;
import dev.tandem.verify.check.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Compares recovery times and waits with their budgets. They are measured, not judged: a busy machine misses a budget
 * without breaking a guarantee.
 */
final class TimeBudgets {

    private static final Duration KILL = Duration.ofSeconds(15);
    private static final Duration PROVEN_DEATH = Duration.ofSeconds(2);
    private static final Duration TAKE_OVER = Duration.ofSeconds(2);
    private static final Duration REPLACEMENT_WAIT = Duration.ofSeconds(2);
    private static final Duration INDEPENDENT_WAIT = Duration.ofSeconds(1);
    /** Three horizons. */
    private static final Duration COMMIT_LAG = Duration.ofSeconds(9);

    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(10);

    /** @param measured null if nothing of the kind happened */
    record Line(String what, String limit, @Nullable String measured, boolean reached) {}

    private final List<TrialResult> results;
    private final Duration lease;
    private final List<Line> lines = new ArrayList<>();

    private TimeBudgets(List<TrialResult> results, Duration lease) {
        this.results = results;
        this.lease = lease;
    }

    static List<Line> of(List<TrialResult> results, Duration lease) {
        TimeBudgets budgets = new TimeBudgets(results, lease);
        budgets.addRecoveries();
        budgets.addIndependence();
        budgets.addPartitions();
        budgets.addReplacements("churn", "executors that leave");
        budgets.addReplacements("rolling", "rolling restart");
        return budgets.lines;
    }

    private void addRecoveries() {
        // Kafka's session time-out follows the lease, so the budget does as well.
        Duration kill = KILL.minus(DEFAULT_LEASE).plus(lease);
        for (boolean rabbit : new boolean[] {false, true}) {
            addRecovery("kill -9: all its tasks run again, p99", rabbit, name -> name.equals("kill"), kill);
            addRecovery(
                    "kill -9 where the death is proven: all its tasks run again, p99",
                    rabbit,
                    name -> name.equals("kill-restart"),
                    PROVEN_DEATH);
            addRecovery(
                    "a frozen executor's tasks are taken over, p99",
                    rabbit,
                    name -> name.startsWith("freeze") && !name.contains("+"),
                    lease.plus(TAKE_OVER));
        }
    }

    private void addRecovery(String what, boolean rabbit, Predicate<String> fault, Duration limit) {
        List<Long> recoveries = statistics(rabbit, fault).stream()
                .flatMap(each -> each.recoveries().stream())
                .toList();
        long p99 = recoveries.isEmpty() ? -1 : Percentiles.of(recoveries).p99();
        lines.add(new Line(
                what + brokerName(rabbit),
                Units.seconds(limit),
                p99 < 0 ? null : Units.seconds(p99),
                p99 >= 0 && p99 <= limit.toNanos()));
    }

    private void addIndependence() {
        for (boolean rabbit : new boolean[] {false, true}) {
            long wait = worst("none", rabbit, TrialStatistics::waitP99);
            lines.add(new Line(
                    "other keys' p99 from publishing to start while keys are stuck" + brokerName(rabbit),
                    Units.seconds(INDEPENDENT_WAIT),
                    wait < 0 ? null : Units.millis(wait),
                    wait <= INDEPENDENT_WAIT.toNanos()));
        }
        addTime(
                "oldest uncommitted task while keys are stuck",
                worst("none", false, TrialStatistics::commitLag),
                COMMIT_LAG);
    }

    /**
     * An executor that cannot reach its broker loses its partitions after a session, and one that cannot reach Redis
     * after a lease. With Kafka it must leave the group for that, which it does up to a quarter of a lease later.
     */
    private void addPartitions() {
        Duration limit = lease.plus(TAKE_OVER);
        addPartition("cut off from Kafka: ", "partition-broker", false, limit);
        addPartition("cut off from RabbitMQ: ", "partition-broker", true, limit);
        addPartition("cut off from Redis (Kafka): ", "partition-redis", false, limit.plus(lease.dividedBy(4)));
        addPartition("cut off from Redis (RabbitMQ): ", "partition-redis", true, limit);
    }

    private void addPartition(String what, String fault, boolean rabbit, Duration limit) {
        addTime(
                what + "longest wait of a task of a well key",
                worst(fault, rabbit, TrialStatistics::longestWait),
                limit);
    }

    private void addReplacements(String fault, String what) {
        List<TrialStatistics> statistics = statistics(name -> name.equals(fault));
        boolean measured = !statistics.isEmpty();
        addCount(
                what + ": trials with lost tasks",
                measured,
                trialsViolating(fault, CheckerRule.NOTHING_LOST) + trialsViolating(fault, CheckerRule.ALL_DONE));
        addCount(
                what + ": duplicates",
                measured,
                statistics.stream()
                        .mapToLong(each -> each.duplicated() + each.interrupted())
                        .sum());
        addCount(what + ": trials with attempts spent", measured, trialsViolating(fault, CheckerRule.ATTEMPTS));
        addTime(
                what + ": longest wait of a task of a well key",
                statistics.stream()
                        .mapToLong(TrialStatistics::longestWait)
                        .max()
                        .orElse(-1),
                REPLACEMENT_WAIT);
    }

    /** Adds a time, which was not measured if it is negative. */
    private void addTime(String what, long nanos, Duration limit) {
        lines.add(new Line(
                what, Units.seconds(limit), nanos < 0 ? null : Units.seconds(nanos), nanos <= limit.toNanos()));
    }

    private void addCount(String what, boolean measured, long count) {
        lines.add(new Line(what, "0", measured ? Long.toString(count) : null, count == 0));
    }

    private static String brokerName(boolean rabbit) {
        return rabbit ? " (RabbitMQ)" : " (Kafka)";
    }

    /** Returns the highest value of the trials of a fault; -1 if there were none. */
    private long worst(String fault, boolean rabbit, ToLongFunction<TrialStatistics> value) {
        return statistics(rabbit, name -> name.equals(fault)).stream()
                .mapToLong(value)
                .max()
                .orElse(-1);
    }

    private List<TrialStatistics> statistics(boolean rabbit, Predicate<String> fault) {
        return statistics(
                results.stream()
                        .filter(result -> result.workload().isRabbit() == rabbit)
                        .toList(),
                fault);
    }

    private List<TrialStatistics> statistics(Predicate<String> fault) {
        return statistics(results, fault);
    }

    private static List<TrialStatistics> statistics(List<TrialResult> results, Predicate<String> fault) {
        return results.stream()
                .filter(result -> fault.test(result.fault().name()))
                .map(TrialResult::judgement)
                .filter(Objects::nonNull)
                .map(Judgement::statistics)
                .toList();
    }

    private long trialsViolating(String fault, CheckerRule rule) {
        return results.stream()
                .filter(result -> result.fault().name().equals(fault))
                .map(TrialResult::judgement)
                .filter(Objects::nonNull)
                .filter(judgement -> judgement.verdicts().get(rule) instanceof Verdict.Broken)
                .count();
    }
}
