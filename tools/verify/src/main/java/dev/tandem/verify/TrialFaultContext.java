package dev.tandem.verify;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.local.LocalBroker;
import dev.tandem.local.LocalRabbitCluster;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.LocalRedisCluster;
import dev.tandem.local.LocalRedisSentinel;
import dev.tandem.verify.fault.FaultContext;
import dev.tandem.verify.fault.OutboxControl;
import dev.tandem.verify.load.TaskGenerator;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.LiveView;
import dev.tandem.verify.worker.WorkerProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/** The things that the fault of one trial acts on. */
final class TrialFaultContext implements FaultContext {

    private final LaneBrokers brokers;
    private final TrialCase trialCase;
    private final TrialSettings settings;
    private final String queue;
    private final Random random;
    private final TrialExecutors executors;
    private final JsonLinesLog<Event> log;
    private final TaskGenerator tasks;
    private final AtomicInteger endEvents = new AtomicInteger();
    private final Supplier<TrialOutbox> outbox;
    private volatile boolean lostWrites;
    private volatile int round;

    TrialFaultContext(
            LaneBrokers brokers,
            TrialCase trialCase,
            TrialSettings settings,
            String queue,
            Random random,
            TrialExecutors executors,
            JsonLinesLog<Event> log,
            TaskGenerator tasks,
            Supplier<TrialOutbox> outbox) {
        this.outbox = outbox;
        this.brokers = brokers;
        this.trialCase = trialCase;
        this.settings = settings;
        this.queue = queue;
        this.random = random;
        this.executors = executors;
        this.log = log;
        this.tasks = tasks;
    }

    void beginRound(int number) {
        round = number;
        endEvents.set(0);
    }

    /** Returns whether the store has lost writes. */
    boolean hasLostWrites() {
        return lostWrites;
    }

    @Override
    public synchronized Random random() {
        return new Random(random.nextLong());
    }

    @Override
    public Duration lease() {
        return settings.lease();
    }

    @Override
    public int round() {
        return round;
    }

    /** Records an event. After the end of the last round the load has only quick tasks, so that the trial ends soon. */
    @Override
    public void record(Event event) {
        log.write(event);
        lostWrites |= event instanceof Event.WritesLost;
        if (event instanceof Event.FaultEnded
                && endEvents.incrementAndGet() >= trialCase.fault().endEventCount()
                && round == settings.rounds()) {
            tasks.onlyQuickTasks();
        }
    }

    @Override
    public List<WorkerProcess> executors() {
        return executors.all();
    }

    @Override
    public WorkerProcess startExecutor() {
        return executors.start();
    }

    @Override
    public void stopExecutor(WorkerProcess executor) {
        executors.stop(executor);
    }

    @Override
    public void killExecutor(WorkerProcess executor) {
        executors.kill(executor);
    }

    @Override
    public void handlersFail(boolean fail) {
        executors.handlersFail(fail);
    }

    @Override
    public LiveView liveView() {
        return executors.liveView();
    }

    @Override
    public LocalBroker broker() {
        return brokers.broker(trialCase.workload());
    }

    @Override
    public LocalRabbitCluster rabbitCluster() {
        return brokers.rabbitCluster();
    }

    @Override
    public LocalRedis redis() {
        return brokers.redis();
    }

    @Override
    public LocalRedisSentinel sentinel() {
        return brokers.sentinel();
    }

    @Override
    public LocalRedisCluster cluster() {
        return brokers.cluster();
    }

    @Override
    public int clusterSlot() {
        return SlotHash.getSlot("tandem:{" + queue + "/0}:");
    }

    @Override
    public OutboxControl outbox() {
        return outbox.get();
    }

    @Override
    public <T> T query(LocalRedis node, Function<RedisCommands<String, String>, T> query) {
        RedisClient client = RedisClient.create(node.address());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return query.apply(connection.sync());
        } finally {
            client.shutdown();
        }
    }

    @Override
    public void sleep(Duration time) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(time.toMillis());
    }
}
