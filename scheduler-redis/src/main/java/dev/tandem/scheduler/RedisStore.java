package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.LookBack;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.task.store.Registration;
import dev.tandem.task.store.Registration.OperatorPause;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store over one Redis, a Sentinel's master, or a Redis Cluster. All links to one Redis share one ordered connection.
 * When it breaks, or an answer is overdue, its links go down and a new connection is made.
 *
 * <p>Thread-safe. No method blocks, but {@link #register} and the end of a registration, for a moment.
 */
public final class RedisStore implements Store {

    private static final Logger log = LoggerFactory.getLogger(RedisStore.class);

    private static final long RETRY_MILLIS = 2_000;
    private static final long CHECK_MILLIS = 10_000;

    private final RedisSettings settings;
    private final boolean keepsSuccesses;
    private final ClientResources resources;
    private final RedisKeys keys;
    private final RedisTopology topology;
    private final RedisConnector connector;
    private final StoreThread thread = new StoreThread();
    private final NodeConnections connections;
    private final MemoryMonitor memory;
    private final FitnessWatch fitness;
    private final WakeupSubscriber wakeups = new WakeupSubscriber();
    private final ChannelSubscription subscription;
    private final AdminConnection adminConnection;
    private final Inspector inspector;
    private final Admin admin;
    private final Presence presence;
    private final RunningTasks runningTasks;
    private final TaskEnds taskEnds;
    private final ProcessRegistry processes;
    private final RedisBuckets buckets;
    private final DependencyBook dependencies;
    private final RedisLimits limits;
    private final FanOutAdmin fanOuts;
    private final RedisHistories histories;
    private final RedisScheduleBook schedules;
    private final Housekeeper housekeeper;
    private final OwnerlessPartitions ownerless;
    private final PauseWatches pauseWatches;
    private final EventFeed events;

    private RedisStore(RedisSettings settings, Retention retention, Map<String, EventPolicy> eventPolicies) {
        this.settings = settings;
        keepsSuccesses = retention.keepsSuccesses();
        resources = DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .build();
        topology = RedisTopology.of(settings, resources);
        keys = new RedisKeys(settings.namespace());
        RedisFitness asking = new RedisFitness(settings);
        connector = new RedisConnector(settings, asking, resources);
        connections = new NodeConnections(topology, connector, thread);
        memory = new MemoryMonitor(thread, connections, settings.headroom());
        fitness = new FitnessWatch(thread, connections, asking, settings);
        adminConnection =
                new AdminConnection(topology, keys, settings.answerTimeout().toMillis(), eventPolicies);
        inspector = new Inspector(adminConnection);
        ownerless = new OwnerlessPartitions(adminConnection, inspector);
        events = new EventFeed(adminConnection, eventPolicies);
        subscription = new ChannelSubscription(
                thread, topology, wakeups, settings.answerTimeout().toMillis(), () -> status().connected());
        pauseWatches = new PauseWatches(settings.cluster(), inspector, wakeups, keys, thread);
        taskEnds = new TaskEnds(adminConnection, wakeups, inspector, thread);
        admin = new Admin(adminConnection, inspector, taskEnds.announcer());
        runningTasks = new RunningTasks(adminConnection, wakeups);
        presence = new Presence(adminConnection, wakeups);
        housekeeper = new Housekeeper(adminConnection, admin, retention, memory::haveAllRoom);
        processes = new ProcessRegistry(adminConnection, inspector);
        buckets = new RedisBuckets(adminConnection, memory::haveAllSpareRoom);
        adminConnection.onConnected(buckets::expectAnew);
        dependencies = new DependencyBook(buckets, inspector);
        limits = new RedisLimits(adminConnection, wakeups);
        fanOuts = new FanOutAdmin(adminConnection, buckets);
        histories = new RedisHistories(adminConnection);
        schedules = new RedisScheduleBook(adminConnection, wakeups);
    }

    /**
     * Opens a store with the default retention. Begins to connect and does not wait; links go up when they can be used.
     *
     * @throws IllegalArgumentException if an address cannot be read
     */
    public static RedisStore open(RedisSettings settings) {
        return open(settings, Retention.DEFAULTS, Map.of());
    }

    /**
     * Opens a store that keeps history for as long as the retention says.
     *
     * @param events by queue; a queue without a policy has none
     */
    public static RedisStore open(RedisSettings settings, Retention retention, Map<String, EventPolicy> events) {
        RedisStore store = new RedisStore(settings, retention, events);
        store.thread.run(store.subscription::subscribe);
        long tick = Math.max(10, settings.answerTimeout().toMillis() / 10);
        store.thread.runEvery(tick, store::checkOverdue);
        store.thread.runEvery(FitnessWatch.CHECK_MILLIS, store.fitness::check);
        store.thread.runEvery(CHECK_MILLIS, store.subscription::check);
        store.thread.runEvery(CHECK_MILLIS, store.pauseWatches::check);
        store.thread.runEvery(MemoryMonitor.CHECK_MILLIS, store.memory::check);
        store.thread.runEvery(CHECK_MILLIS, store::trim);
        return store;
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        RedisLink link = new RedisLink(this, keys, partition, listener);
        thread.run(() -> {
            wakeups.add(keys.wakeChannel(partition), link);
            taskEnds.announcer().opened(partition.queue());
            register(partition);
            connections.add(link);
        });
        return link;
    }

    @Override
    public void findHeld(String queue, Collection<Partition> except, Consumer<Collection<Partition>> found) {
        ownerless.findHeld(queue, except, found);
    }

    @Override
    public void findReachablePart(Runnable reached) {
        thread.run(() -> connector.findFit(topology.parts(), reached));
    }

    /**
     * The state of the connection to Redis.
     *
     * @param connected whether every link has its connection
     * @param detail text for people: what is wrong, or where the store is connected
     */
    public record Status(boolean connected, String detail) {}

    public Status status() {
        return connections.status();
    }

    /**
     * Tells the listener what of a queue is paused: soon ({@link OperatorPause#UNKNOWN} if Redis is mute), and at each change.
     *
     * @return ends the watch when closed
     */
    public AutoCloseable watchPause(String queue, PauseListener listener) {
        return pauseWatches.watch(queue, listener);
    }

    @Override
    public Registration register(Registration.Registrant executor) {
        return new RedisRegistration(this, executor);
    }

    @Override
    public CompletionStage<StoreAnswer> ask(RunRequest request) {
        if (request instanceof RunRequest.KeepProgress keep) {
            return new ProgressPieces(adminConnection, keep).write();
        }
        ScriptCall call = RunRequestCodec.encode(request);
        return adminConnection
                .runScript(call.script(), request.partition(), call.args().toArray(byte[][]::new))
                .thenApply(reply -> ScriptDecoder.decode(request, reply, false));
    }

    @Override
    public CompletionStage<List<DedupAnswer>> dedup(String queue, int bucket, List<DedupRequest> requests) {
        return buckets.dedup(queue, bucket, requests);
    }

    @Override
    public RedisLimits limits() {
        return limits;
    }

    @Override
    public CompletionStage<FanOutReply> fanOut(int bucket, FanOutCaller caller, List<FanOutRequest> requests) {
        return buckets.fanOut(bucket, caller, requests);
    }

    @Override
    public CompletionStage<Optional<PartitionHistory>> partitionHistory(String queue) {
        return histories.read(queue);
    }

    @Override
    public CompletionStage<Boolean> changePartitionHistory(
            String queue, @Nullable PartitionHistory expected, PartitionHistory next, long notBeforeMillis) {
        return histories.change(queue, expected, next, notBeforeMillis);
    }

    @Override
    public CompletionStage<LookBack.Answer> lookBack(Partition partition, LookBack question) {
        return histories.lookBack(partition, question);
    }

    /** Asks Redis for an answer. The future fails when it cannot be reached or does not answer in time. */
    public CompletableFuture<Void> ping() {
        return adminConnection.run(commands -> commands.ping()).thenApply(pong -> null);
    }

    /** Looks at each Redis that may have partitions. The future fails if none can be found. */
    public CompletableFuture<List<RedisExam>> examine() {
        return new RedisExaminer(settings, topology, connector).examine();
    }

    /** Returns what inspects queues. */
    public Inspector inspector() {
        return inspector;
    }

    /** Returns the connection of inspections and changes, for tests. */
    AdminConnection adminConnection() {
        return adminConnection;
    }

    /** Returns what makes operators' changes. */
    public Admin admin() {
        return admin;
    }

    /** Returns what asks executors to cancel the tasks that they run. */
    public RunningTasks runningTasks() {
        return runningTasks;
    }

    @Override
    public DependencyBook dependencies() {
        return dependencies;
    }

    /** Returns what waits for the ends of tasks. */
    public TaskEnds taskEnds() {
        return taskEnds;
    }

    /** Returns the events that are to be published. */
    public EventFeed events() {
        return events;
    }

    /** Returns what finds fan-outs. */
    public FanOutAdmin fanOuts() {
        return fanOuts;
    }

    /** Returns the records of schedules. */
    public ScheduleBook schedules() {
        return schedules;
    }

    /** Returns the statistics of queues. */
    public RedisStatistics statistics() {
        return new RedisStatistics(adminConnection);
    }

    /** Returns what only servers keep: operations on many tasks, tokens of the API, the audit log, and their mailboxes. */
    public ServerRecords serverRecords() {
        return new ServerRecords(adminConnection, wakeups);
    }

    /** Returns what reads and changes many tasks for an operation. */
    public OperationTasks operationTasks() {
        return new OperationTasks(adminConnection, taskEnds.announcer());
    }

    /** Returns the registry of live executors. */
    public Presence presence() {
        return presence;
    }

    /**
     * Returns a watch for the deaths of this host's executors, not started yet.
     *
     * @param executor the id of this process's executor, unique per process start
     * @param queues the queues that it runs
     * @param died called with the id of an executor that is proven dead, perhaps again, on any thread; must not block
     */
    public DeathWatch deathWatch(String executor, Set<String> queues, Consumer<String> died) {
        return new DeathWatch(processes, presence, executor, queues, died);
    }

    /**
     * Returns the fixed name of an executor, not taken yet.
     *
     * @param deaths ends the leases of a predecessor, and knows which processes of this host are gone
     * @param executor the id of this process's executor, unique per process start
     * @param leaseMillis the lease of the queues' partitions and claims
     */
    public FixedName fixedName(
            DeathWatch deaths, String name, String executor, long leaseMillis, FixedName.Listener listener) {
        return new FixedName(processes, deaths, name, executor, leaseMillis, listener);
    }

    @Override
    public void close() {
        thread.run(() -> {
            subscription.close();
            connections.close();
            thread.end();
            CompletableFuture.allOf(connector.close(), topology.close())
                    .whenComplete((done, failure) -> resources.shutdown(0, 2, TimeUnit.SECONDS));
        });
    }

    void closed(RedisLink link) {
        thread.run(() -> {
            wakeups.remove(keys.wakeChannel(link.partition()), link);
            taskEnds.announcer().closed(link.partition().queue());
            connections.remove(link);
        });
    }

    ProcessRegistry processes() {
        return processes;
    }

    /** Handles a failed request whose link has already voided its other requests. */
    void failed(RedisLink link, RedisSession session, String reason, @Nullable Throwable failure) {
        thread.run(() -> connections.failed(link, session, reason, failure));
    }

    /** Whether anything is to be kept of tasks that succeed. */
    boolean keepsSuccesses() {
        return keepsSuccesses;
    }

    /** Tells the link's listener soon how much room there is for more tasks. */
    void lookAtRoom(RedisLink link, RedisNode node) {
        thread.run(() -> link.tellRoom(node.room));
    }

    void lookAtMemory(RedisNode node) {
        memory.lookNow(node);
    }

    // The rest runs on the store's thread.

    /** Adds the partition to its queue's list, by which the inspector finds it. */
    private void register(Partition partition) {
        byte[] name = partition.name().getBytes(StandardCharsets.UTF_8);
        adminConnection
                .run(commands -> commands.sadd(keys.partitions(partition.queue()), name))
                .whenComplete((added, failure) -> {
                    if (failure != null) {
                        thread.runAfter(RETRY_MILLIS, () -> register(partition));
                    }
                });
    }

    private void checkOverdue() {
        long limit = System.nanoTime() - settings.answerTimeout().toNanos();
        connections.checkOverdue(
                limit, "no answer for " + settings.answerTimeout().toMillis() + " ms");
        connections.checkCutOff();
    }

    /** Trims history now, for tests. */
    void trimNow() {
        thread.run(this::trim);
    }

    private void trim() {
        presence.removeSilent();
        housekeeper.trim(connections.ownedPartitions(), ownerless.all());
    }
}
