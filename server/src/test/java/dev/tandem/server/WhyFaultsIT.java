package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import dev.tandem.local.LocalProcess;
import dev.tandem.local.LocalRedis;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.TandemBuilder;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Why keys do not move while executors hang and die, Redis restarts, or a broker is away. The server that is asked runs no tasks. */
class WhyFaultsIT {

    private static final String KEY = HangingExecutor.KEY;
    private static final String HUNG = Brokers.kafka().topic("hung", 1);
    private static final String BESIDE = Brokers.kafka().topic("beside", 1);
    private static final String RABBIT = UniqueNames.fresh("hung");

    private static LocalRedis redis;
    private static RunningServer asked;
    private static WhyAnswers why;

    @BeforeAll
    static void start() {
        redis = Brokers.ownRedis();
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        settings.put("tandem.executor.enabled", "false");
        settings.put("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
        settings.put("tandem.rabbit.uri", "amqp://127.0.0.1:1");
        settings.put("tandem.redis.uri", redis.address());
        for (String queue : List.of(HUNG, BESIDE, RABBIT)) {
            String at = "tandem.queues." + queue + ".";
            settings.put(at + "source", queue.equals(RABBIT) ? "rabbit" : "kafka");
            settings.put(at + "partitions", "1");
            settings.put(at + "ordering", "key");
            settings.put(at + "handler", "noop");
        }
        asked = new RunningServer(settings);
        why = new WhyAnswers(asked);
    }

    @AfterAll
    static void stop() {
        if (asked != null) {
            asked.close();
        }
        if (redis != null) {
            redis.close();
        }
    }

    @Test
    void keysWaitForExecutorsThatHangOrHaveDied() throws Exception {
        TandemBuilder witness = builder();
        HangingExecutor.queue(witness, "kafka:" + BESIDE).handler("any", byte[].class, (payload, task) -> {});
        // Somebody must live, or nobody counts as dead.
        try (Tandem lives = witness.start();
                LocalProcess first = executor(true, "kafka:" + HUNG, "rabbit:" + RABBIT)) {
            why.awaitKey(HUNG, KEY, "running");
            why.awaitKey(RABBIT, KEY, "running");
            first.suspend();
            assertThat(why.awaitKey(HUNG, "another key", "owner-silent"))
                    .contains("which owns its partition 0, did not answer within a second");
            assertThat(why.awaitKey(HUNG, "another key", "executor-died"))
                    .contains(", which owns its partition, has died");
            assertThat(why.awaitTask(HUNG, "@0/0:0", "executor-died")).contains(", which ran ");
            awaitRedelivery(first);
        }
        killedDuringSecondAttempt();
        change("/pause");
        try (LocalProcess third = executor(false, "kafka:" + HUNG, "kafka:" + BESIDE)) {
            why.publish(BESIDE, KEY, KEY);
            why.awaitKey(BESIDE, KEY, "running");
            assertThat(third.isRunning()).isTrue();
            change("/resume");
            assertThat(why.awaitKey(HUNG, KEY, "quarantine"))
                    .contains("during whose last two attempts executors died")
                    .contains("./tandem tasks cancel " + HUNG);
            third.kill();
        }
        redis.stop();
        redis.start();
        TandemBuilder fourth = builder();
        HangingExecutor.queue(fourth, "kafka:" + HUNG).handler("any", byte[].class, (payload, task) -> {});
        try (Tandem ignored = fourth.start()) {
            why.publish(HUNG, "after", "after");
            assertThat(why.awaitKey(HUNG, "after", "quiet")).contains("Redis was restarted, and may have forgotten");
        }
    }

    /** A consumer that does nothing gets the messages of the executor that is killed, so that its successor waits for them. */
    private static void awaitRedelivery(LocalProcess victim) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(Brokers.rabbit().uri());
        TandemBuilder successor = builder();
        HangingExecutor.queue(successor, "rabbit:" + RABBIT).handler("any", byte[].class, (payload, task) -> {});
        Connection idler = factory.newConnection();
        try {
            Channel channel = idler.createChannel();
            channel.basicConsume(RabbitSettings.subQueueName(RABBIT, 0), false, new DefaultConsumer(channel));
            try (Tandem ignored = successor.start()) {
                victim.kill();
                assertThat(why.awaitKey(RABBIT, KEY, "redelivery")).contains("which the broker must deliver again");
                idler.abort();
                why.awaitKey(RABBIT, KEY, "no-broker");
            }
        } finally {
            idler.abort();
        }
    }

    private static void killedDuringSecondAttempt() throws Exception {
        try (LocalProcess second = executor(false, "kafka:" + HUNG)) {
            await("the second attempt")
                    .atMost(WhyAnswers.PATIENCE)
                    .untilAsserted(() -> assertThat(why.ofKey(HUNG, KEY).toString())
                            .as(second.logTail())
                            .contains("\"cause\":\"running\"", "attempt 2 of "));
            second.kill();
        }
    }

    private static void change(String verb) {
        assertThat(asked.post("/api/v1/queues/" + HUNG + verb).status()).isEqualTo(202);
    }

    private static LocalProcess executor(boolean publishes, String... queues) throws Exception {
        return HangingExecutor.start(redis.address(), publishes, List.of(queues));
    }

    private static TandemBuilder builder() {
        return Tandem.builder()
                .kafka(Brokers.kafka().bootstrapServers())
                .rabbit(Brokers.rabbit().uri())
                .redis(redis.address());
    }

    @Test
    void aBrokerIsAway() {
        assertThat(why.awaitKey(RABBIT, "another key", "no-broker")).contains("the broker cannot be reached");
    }
}
