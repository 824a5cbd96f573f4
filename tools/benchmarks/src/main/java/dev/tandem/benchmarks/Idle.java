package dev.tandem.benchmarks;

import dev.tandem.executor.Result;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.task.QueuePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** What a platform with nothing to do asks of Redis, and what that costs. */
final class Idle implements Scenario {

    private static final Duration USUAL = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Ours, not the platform's. */
    private static final String OWN = "info";

    private static final String SCRIPTS = "evalsha";

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public String about() {
        return "requests to Redis while nothing is to be done";
    }

    @Override
    public List<Measured> run(Lab lab) throws Exception {
        String queue = lab.name("idle");
        int partitions = lab.sizes().partitions();
        double renewMillis = Tandem.settings(lab.sizes().lease()).renewMillis();
        try (KafkaTopic topic = new KafkaTopic(lab.kafka(), queue, partitions);
                RedisNumbers redis = new RedisNumbers(lab.redis());
                Tandem tandem = Tandem.start(
                        lab.redis(),
                        lab.sizes(),
                        new Tandem.Queue(
                                topic.name(),
                                new KafkaSource(KafkaSettings.of(lab.kafka(), queue)),
                                QueuePolicy.ordered(64),
                                task -> Result.done()))) {
            Patience.await(
                    PATIENCE,
                    () -> tandem.status().partitions() == partitions
                            && tandem.status().healthy(),
                    () -> "The queue did not get its partitions, " + tandem.status());
            TimeUnit.SECONDS.sleep(1);
            Duration duration = lab.sizes().durationOr(USUAL);
            Map<String, Long> before = redis.commands();
            double cpu = redis.processorMicros();
            TimeUnit.MILLISECONDS.sleep(duration.toMillis());
            Map<String, Long> after = redis.commands();
            double share = 100 * (redis.processorMicros() - cpu) / (duration.toMillis() * 1e3);
            Map<String, Long> calls = after.entrySet().stream()
                    .filter(each -> !each.getKey().equals(OWN))
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, each -> each.getValue() - before.getOrDefault(each.getKey(), 0L)));
            calls.values().removeIf(count -> count == 0);
            lab.say("in %d s: %s", duration.toSeconds(), calls);
            // One more may fall into any span of time.
            double renewals = partitions * (1 + duration.toMillis() / renewMillis) / (duration.toMillis() / 1e3);
            double scripts = calls.getOrDefault(SCRIPTS, 0L) / (duration.toMillis() / 1e3);
            return List.of(
                    Measured.of(
                            "idle: scripts at Redis with " + partitions + " partitions",
                            scripts,
                            "/s",
                            Budget.atMost(renewals)),
                    Measured.told("idle: Redis's processor", share, "%"));
        }
    }
}
