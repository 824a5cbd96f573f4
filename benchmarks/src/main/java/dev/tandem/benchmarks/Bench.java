package dev.tandem.benchmarks;

import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalRedis;
import java.util.Locale;

/** The end-to-end benchmarks, each beside its budget. */
public final class Bench {

    private Bench() {}

    public static void main(String[] args) throws Exception {
        int tasks = Integer.getInteger("tasks", 500_000);
        int partitions = Integer.getInteger("partitions", 8);
        int concurrency = Integer.getInteger("concurrency", 2_000);
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
        try (LocalKafka kafka = LocalKafka.builder().start();
                LocalRedis redis = LocalRedis.builder().start()) {
            String uri = redis.address().startsWith("redis") ? redis.address() : "redis://" + redis.address();
            Scheduling scheduling = new Scheduling(kafka.address(), uri);
            if (Boolean.getBoolean("scheduling")) {
                say("memory: %.0f bytes", scheduling.memory("mem", 100_000));
                for (int rate : new int[] {500, 5_000}) {
                    Spread late = scheduling.lateness("late-" + rate, rate, java.time.Duration.ofSeconds(15));
                    say("lateness at %d/s: %s us", rate, late);
                }
                return;
            }
            KafkaThroughput bench = new KafkaThroughput(kafka.address(), uri, partitions);
            bench.fill("warm", Keys.ZIPF, 100_000);
            bench.bare("warm", 100_000);
            say("warm-up: %s", bench.tandem("warm", 100_000, true, concurrency));
            for (Keys keys : Keys.values()) {
                String topic = "t-" + keys.name().toLowerCase(Locale.ROOT);
                bench.fill(topic, keys, tasks);
                double bare = bench.bare(topic, tasks);
                KafkaThroughput.Measured tandem = bench.tandem(topic, tasks, true, concurrency);
                say(
                        "%s: bare %.0f/s, tandem %.0f/s = %.0f %%, Redis %.2f us per task",
                        keys, bare, tandem.perSecond(), 100 * tandem.perSecond() / bare, tandem.redisMicros());
            }
        }
    }

    private static void say(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
