package dev.tandem.server;

import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.runtime.QueueBuilder;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.TandemBuilder;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** An executor in a process of its own whose handlers never end, to be frozen and killed. */
final class HangingExecutor {

    /** The key of the task that the first executor publishes to each of its queues. */
    static final String KEY = "k";

    /** For some seconds, a frozen executor is known to be silent and still owns its partitions. */
    private static final String LEASE = "14s";

    private HangingExecutor() {}

    /** Starts one. @param queues their names, each with its kind of broker and a colon in front */
    static LocalProcess start(String redis, boolean publishes, List<String> queues) throws Exception {
        Path logs = Files.createDirectories(Path.of(System.getProperty("tandem.local.dir", "target/brokers")));
        return LocalProcess.java(
                        "executor",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("128m"),
                        HangingExecutor.class.getName(),
                        List.of(
                                Brokers.kafka().bootstrapServers(),
                                Brokers.rabbit().uri(),
                                redis,
                                Boolean.toString(publishes),
                                String.join(",", queues)))
                .log(logs.resolve(UniqueNames.fresh("hanging") + ".log"))
                .disposable()
                .build()
                .start();
    }

    /** @param args the addresses of Kafka, RabbitMQ and Redis, whether to publish, and the queues */
    public static void main(String[] args) throws InterruptedException {
        TandemBuilder builder = Tandem.builder()
                .kafka(args[0])
                .rabbit(args[1])
                .redis(args[2])
                .setting("tandem.executor.lease", LEASE)
                .setting("tandem.kafka.properties[session.timeout.ms]", "3000")
                .setting("tandem.kafka.properties[heartbeat.interval.ms]", "500");
        List<String> queues = List.of(args[4].split(","));
        for (String each : queues) {
            queue(builder, each).handler("any", byte[].class, (payload, task) -> new CountDownLatch(1).await());
        }
        Tandem tandem = builder.start();
        for (String each : Boolean.parseBoolean(args[3]) ? queues : List.<String>of()) {
            await().atMost(Duration.ofMinutes(1))
                    .ignoreExceptions()
                    .until(() -> tandem.client()
                                    .submit(TaskRequest.of(name(each), "any", 1).withKey(KEY))
                                    .await(Duration.ofSeconds(10))
                            != null);
        }
        new CountDownLatch(1).await();
    }

    /** Describes a queue with one partition, of which all tasks have one type. */
    static QueueBuilder queue(TandemBuilder builder, String queue) {
        return builder.queue(name(queue))
                .setting("source", queue.substring(0, queue.indexOf(':')))
                .setting("partitions", "1")
                .setting("ordering", "key")
                .setting("timeout", "10m")
                .defaultType("any");
    }

    private static String name(String queue) {
        return queue.substring(queue.indexOf(':') + 1);
    }
}
