package dev.tandem.benchmarks;

import dev.tandem.api.BatchOptions;
import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.executor.BatchedHandler;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.task.QueuePolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures what a batch handler gains where each call takes a millisecond, as one to a database does, and no more than a few
 * calls are possible at once; and what its wait costs where there is one key only.
 */
final class BatchRate implements Scenario {

    private static final int DEFAULT_TASKS = 40_000;
    private static final int CALLS_AT_ONCE = 4;
    private static final long CALL_NANOS = 1_000_000;

    @Override
    public String name() {
        return "batch";
    }

    @Override
    public String about() {
        return "tasks per second where each call of the handler takes 1 ms, one by one and in batches";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        int tasks = context.sizes().tasksOr(DEFAULT_TASKS);
        List<Measurement> lines = new ArrayList<>();
        try (KafkaTopic topic = topic(context)) {
            topic.fill(KeyDistribution.DISTINCT, tasks);
            for (int size : new int[] {1, 10, 100}) {
                List<Double> rates = new ArrayList<>();
                for (int i = 0; i < context.sizes().rounds(); i++) {
                    rates.add(rate(context, topic, tasks, size));
                }
                lines.add(Measurement.withoutBudget(
                        size == 1 ? "batch: one task a call" : "batch: " + size + " tasks a call",
                        Median.of(rates),
                        "/s"));
            }
        }
        return lines;
    }

    private static KafkaTopic topic(ScenarioContext context) throws Exception {
        return new KafkaTopic(
                context.brokers().kafka(),
                context.uniqueName("batch"),
                context.sizes().partitions());
    }

    /** Returns tasks per second from the first call to the last commit. */
    private static double rate(ScenarioContext context, KafkaTopic topic, int tasks, int size) throws Exception {
        String queue = context.uniqueName("batch");
        LongAdder calls = new LongAdder();
        CountDownLatch started = new CountDownLatch(1);
        KafkaSource source = new KafkaSource(
                KafkaSettings.of(context.brokers().kafka(), queue).withTopic(topic.name()));
        Semaphore connections = new Semaphore(CALLS_AT_ONCE);
        BatchedHandler batch = new BatchedHandler(
                several -> {
                    call(connections, calls, started);
                    return Collections.nCopies(several.size(), Result.done());
                },
                BatchOptions.of(size, "50ms"));
        Handler single = Handler.of(task -> call(connections, calls, started));
        QueuePolicy policy = QueuePolicy.ordered(CALLS_AT_ONCE * size);
        try (TandemExecutor executor = TandemExecutor.start(
                context.brokers().redis(),
                context.sizes(),
                new TandemExecutor.Queue(queue, topic.name(), source, policy, size == 1 ? single : batch))) {
            started.await();
            long start = System.nanoTime();
            topic.awaitCommitted(KafkaTopic.group(queue), tasks, context);
            double perSecond = tasks / ((System.nanoTime() - start) / 1e9);
            context.say(
                    "%d tasks a call at most: %,.0f/s, %.1f a call, %,d succeeded",
                    size,
                    perSecond,
                    (double) tasks / calls.sum(),
                    executor.status().succeeded());
            return perSecond;
        }
    }

    private static void call(Semaphore connections, LongAdder calls, CountDownLatch started)
            throws InterruptedException {
        started.countDown();
        connections.acquire();
        try {
            long until = System.nanoTime() + CALL_NANOS;
            for (long left = CALL_NANOS; left > 0; left = until - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            calls.increment();
        } finally {
            connections.release();
        }
    }
}
