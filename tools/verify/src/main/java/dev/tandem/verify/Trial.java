package dev.tandem.verify;

import dev.tandem.kafka.KafkaPublisher;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.local.LocalBroker;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.LocalRedisCluster;
import dev.tandem.local.LocalRedisSentinel;
import dev.tandem.rabbit.RabbitPublisher;
import dev.tandem.task.Publisher;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.fault.FaultContext;
import dev.tandem.verify.fault.Requirement;
import dev.tandem.verify.load.LoadGenerator;
import dev.tandem.verify.load.TaskGenerator;
import dev.tandem.verify.load.Workload;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import dev.tandem.verify.record.EventLog;
import dev.tandem.verify.worker.LiveView;
import dev.tandem.verify.worker.StallDetector;
import dev.tandem.verify.worker.WorkerProcess;
import dev.tandem.verify.worker.WorkerSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One fault under one workload: a fresh queue, executors in processes of their own, a load; the fault strikes; when all is
 * done, or the patience is at its end, what was recorded is judged.
 */
final class Trial implements FaultContext, AutoCloseable {

    private static final Duration JOIN = Duration.ofSeconds(90);
    private static final Duration LOOK = Duration.ofMillis(50);

    private final TestBrokers lab;
    private final Fault fault;
    private final Workload workload;
    private final TrialSettings sizes;
    private final Path folder;
    private final String queue;
    private final String store;
    private final Random random;
    private final long seed;
    private final String classPath;
    private final Consumer<String> progress;
    private final EventLog log;
    private final LiveView live = new LiveView();
    private final List<WorkerProcess> executors = new CopyOnWriteArrayList<>();
    private final Thread looker;
    private final TaskGenerator maker;
    private final AtomicInteger endings = new AtomicInteger();
    private @Nullable Thread ticker;
    private volatile boolean over;
    private int round;
    private int births;

    /**
     * Not begun yet.
     *
     * @param classPath of its executors
     * @param folder for what is recorded; made when it is missing
     */
    Trial(
            TestBrokers lab,
            Fault fault,
            Workload workload,
            TrialSettings sizes,
            long seed,
            String classPath,
            Path folder,
            Consumer<String> progress)
            throws Exception {
        this.lab = lab;
        this.fault = fault;
        this.workload = workload;
        this.sizes = sizes;
        this.seed = seed;
        this.classPath = classPath;
        this.random = new Random(seed);
        this.folder = Files.createDirectories(folder);
        this.progress = progress;
        this.queue = "verify-" + folder.getFileName().toString().replaceAll("[^A-Za-z0-9._-]", "-") + "-"
                + Long.toString(System.currentTimeMillis() & 0xffffff, 36);
        this.maker = new TaskGenerator(workload, new Random(seed), sizes.lease(), sizes.longEvery());
        this.store = lab.storeAddress(fault.needs());
        this.log = new EventLog(folder.resolve("verify.events"));
        this.looker = new Thread(this::look, "verify-live");
        looker.setDaemon(true);
    }

    /** Runs it and judges it. */
    Judgement run() throws Exception {
        String brokerAddress = lab.brokerAddress(workload); // so that it is there
        log.write(new Event.TrialOpened(
                System.nanoTime(),
                Verify.version(),
                fault.name(),
                workload.text(),
                seed,
                sizes.lease().toMillis(),
                sizes.lenience().toMillis(),
                sizes.executors(),
                sizes.perSecond(),
                sizes.partitions(),
                lab.products()));
        looker.start();
        ticker = StallDetector.start("verify", log);
        TrialTopic topic = workload.isRabbit() ? null : new TrialTopic(brokerAddress, queue, sizes.partitions());
        try (LoadGenerator load =
                        new LoadGenerator(maker, queue, publisher(), !workload.isRabbit(), log, sizes.perSecond());
                Auditor auditor = new Auditor(queue, sizes.partitions(), topic, store, isCluster(), log)) {
            load.start();
            for (int i = 0; i < sizes.executors(); i++) {
                join();
            }
            awaitWork();
            sleep(sizes.warmUp());
            strike(load);
            load.stop();
            awaitDone(load, topic, auditor);
            executors.forEach(WorkerProcess::leave);
            auditor.stop();
            log.write(new Event.TrialClosed(System.nanoTime(), backlog(topic)));
            lastAudit(auditor);
        } finally {
            if (topic != null) {
                topic.close();
            }
        }
        stopLooking();
        return RecordedTrials.judge(folder);
    }

    private void awaitWork() throws InterruptedException {
        boolean all =
                live.await(JOIN.toMillis(), now -> executors.stream().allMatch(each -> now.hasWorked(each.name())));
        executors.forEach(WorkerProcess::requireAlive);
        if (!all) {
            throw new IllegalStateException("Not all executors got tasks within " + JOIN.toSeconds() + " s. "
                    + executors.stream()
                            .filter(each -> !live.hasWorked(each.name()))
                            .findFirst()
                            .map(WorkerProcess::logTail)
                            .orElse(""));
        }
    }

    private void strike(LoadGenerator load) throws InterruptedException {
        while (round < sizes.rounds()) {
            round++;
            endings.set(0);
            progress.accept(text(load));
            fault.strike(this);
            executors.forEach(WorkerProcess::requireAlive);
        }
    }

    /** Until all that was acknowledged has ended, and the broker knows. What is behind a dead task stays. */
    private void awaitDone(LoadGenerator load, @Nullable TrialTopic topic, Auditor auditor)
            throws InterruptedException {
        long deadline = System.nanoTime() + sizes.patience().toNanos();
        long from = System.nanoTime();
        while (System.nanoTime() < deadline) {
            progress.accept(text(load));
            executors.forEach(WorkerProcess::requireAlive);
            Event.Audit audited = auditor.last();
            boolean ended = load.acknowledged().stream().allMatch(id -> rests(id) || live.hasEnded(id));
            if (ended
                    && audited != null
                    && audited.at() > from
                    && audited.held().stream().allMatch(this::rests)
                    && (topic == null || backlog(topic) == 0)) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
        }
    }

    private boolean rests(String id) {
        return workload.isOrdered() && id.startsWith(TaskGenerator.DEAD_KEY + "-");
    }

    private void lastAudit(Auditor auditor) throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            try {
                auditor.audit();
                return;
            } catch (Exception e) {
                TimeUnit.MILLISECONDS.sleep(500);
            }
        }
    }

    private long backlog(@Nullable TrialTopic topic) {
        try {
            return topic != null
                    ? topic.backlog()
                    : RabbitBacklog.of(settings("", 0, false).rabbit());
        } catch (Exception e) {
            return -1;
        }
    }

    private String text(LoadGenerator load) {
        return String.format(
                Locale.ROOT,
                "%s × %s: round %d, %d published, %d ended, %d executors",
                fault.name(),
                workload,
                round,
                load.acknowledged().size(),
                live.ended(),
                executors.size());
    }

    private Publisher publisher() {
        if (workload.isRabbit()) {
            return new RabbitPublisher(List.of(settings("", 0, false).rabbit()));
        }
        return new KafkaPublisher(List.of(KafkaSettings.of(lab.brokerAddress(workload), queue)));
    }

    private boolean isCluster() {
        return fault.needs().contains(Requirement.CLUSTER);
    }

    private WorkerSettings settings(String name, int slot, boolean proxied) {
        String broker = lab.brokerAddress(workload);
        String redis = store;
        if (proxied) {
            Map<Server, Integer> ways = new EnumMap<>(Server.class);
            lab.ways(workload, slot).forEach((link, way) -> ways.put(link, way.port()));
            int port = ways.getOrDefault(Server.BROKER, 0);
            broker = workload.isRabbit() ? "amqp://guest:guest@127.0.0.1:" + port : "127.0.0.1:" + port;
            redis = "redis://127.0.0.1:" + ways.getOrDefault(Server.STORE, 0);
        }
        return new WorkerSettings(
                name,
                queue,
                broker,
                redis,
                isCluster(),
                replicas(),
                workload.isOrdered(),
                sizes.partitions(),
                sizes.lease(),
                sizes.retry(),
                folder);
    }

    private int replicas() {
        return fault.needs().contains(Requirement.SENTINEL) ? 2 : isCluster() ? 1 : 0;
    }

    private void look() {
        while (!over) {
            try {
                executors.forEach(WorkerProcess::look);
                TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void stopLooking() throws InterruptedException {
        over = true;
        looker.interrupt();
        looker.join();
        if (ticker != null) {
            ticker.interrupt();
            ticker.join();
        }
    }

    // ---- the stage

    @Override
    public synchronized Random random() {
        return new Random(random.nextLong());
    }

    @Override
    public Duration lease() {
        return sizes.lease();
    }

    @Override
    public int round() {
        return round;
    }

    @Override
    public void note(Event event) {
        log.write(event);
        if (event instanceof Event.FaultEnded
                && endings.incrementAndGet() >= fault.endings()
                && round == sizes.rounds()) {
            maker.easeOff();
        }
    }

    @Override
    public List<WorkerProcess> executors() {
        return executors.stream()
                .sorted(Comparator.comparingInt(WorkerProcess::slot))
                .toList();
    }

    @Override
    public synchronized WorkerProcess join() {
        int slot = 0;
        for (boolean taken = true; taken; slot += taken ? 1 : 0) {
            int asked = slot;
            taken = executors.stream().anyMatch(each -> each.slot() == asked);
        }
        boolean proxied = fault.needs().contains(Requirement.WAYS);
        WorkerSettings settings = settings("e" + ++births, slot, proxied);
        WorkerProcess executor =
                new WorkerProcess(settings, classPath, log, live, proxied ? lab.ways(workload, slot) : Map.of(), slot);
        executors.add(executor);
        return executor;
    }

    @Override
    public void leave(WorkerProcess executor) {
        executor.leave();
        executor.look();
        executors.remove(executor);
    }

    @Override
    public void kill(WorkerProcess executor) {
        executor.kill();
        executor.look();
        executors.remove(executor);
    }

    @Override
    public LiveView live() {
        return live;
    }

    @Override
    public LocalBroker broker() {
        return lab.broker(workload);
    }

    @Override
    public LocalRedis redis() {
        return lab.redis();
    }

    @Override
    public LocalRedisSentinel sentinel() {
        return lab.sentinel();
    }

    @Override
    public LocalRedisCluster cluster() {
        return lab.cluster();
    }

    @Override
    public int slot() {
        return SlotHash.getSlot("tandem:{" + queue + "/0}:");
    }

    @Override
    public <T> T ask(LocalRedis node, Function<RedisCommands<String, String>, T> question) {
        RedisClient client = RedisClient.create(node.address());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return question.apply(connection.sync());
        } finally {
            client.shutdown();
        }
    }

    @Override
    public void sleep(Duration time) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(time.toMillis());
    }

    @Override
    public void close() {
        over = true;
        new ArrayList<>(executors).forEach(WorkerProcess::close);
        log.close();
    }
}
