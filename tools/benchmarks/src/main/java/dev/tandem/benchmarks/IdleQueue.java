package dev.tandem.benchmarks;

import dev.tandem.api.Result;
import dev.tandem.kit.Await;
import dev.tandem.task.QueuePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Counts the requests to Redis, and the processor time that they take, while there is nothing to do. */
final class IdleQueue implements Scenario {

    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(20);
    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** The command of this benchmark. The others are Tandem's. */
    private static final String INFO = "info";

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public String about() {
        return "requests to Redis while nothing is to be done";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        String queue = context.uniqueName("idle");
        int partitions = context.sizes().partitions();
        double renewMillis = TandemExecutor.settings(context.sizes().lease()).renewMillis();
        try (KafkaTopic topic = new KafkaTopic(context.brokers().kafka(), queue, partitions);
                RedisStatistics redis = new RedisStatistics(context.brokers().redis());
                TandemExecutor executor =
                        TandemExecutor.ofTopic(context, queue, QueuePolicy.ordered(64), task -> Result.done())) {
            Await.until(
                    LIMIT,
                    () -> executor.status().partitions() == partitions
                            && executor.status().healthy(),
                    () -> "The queue did not get its partitions (" + executor.status() + ")");
            TimeUnit.SECONDS.sleep(1);
            Duration duration = context.sizes().durationOr(DEFAULT_DURATION);
            Map<String, Long> before = redis.commands();
            RedisStatistics.Usage usage = redis.usage();
            TimeUnit.MILLISECONDS.sleep(duration.toMillis());
            Map<String, Long> after = redis.commands();
            double share = 100 * redis.usage().since(usage).processorMicros() / (duration.toMillis() * 1e3);
            Map<String, Long> calls = after.entrySet().stream()
                    .filter(each -> !each.getKey().equals(INFO))
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, each -> each.getValue() - before.getOrDefault(each.getKey(), 0L)));
            calls.values().removeIf(count -> count == 0);
            context.say("in %d s: %s", duration.toSeconds(), calls);
            // Any interval may contain one more.
            double renewals = partitions * (1 + duration.toMillis() / renewMillis) / (duration.toMillis() / 1e3);
            double scripts = calls.getOrDefault(RedisStatistics.SCRIPT, 0L) / (duration.toMillis() / 1e3);
            return List.of(
                    Measurement.of(
                            "idle: scripts at Redis with " + partitions + " partitions",
                            scripts,
                            "/s",
                            Budget.atMost(renewals)),
                    Measurement.withoutBudget("idle: Redis's processor", share, "%"));
        }
    }
}
