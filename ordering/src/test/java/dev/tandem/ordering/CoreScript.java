package dev.tandem.ordering;

import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Recall;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreModel;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRoom;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One executor whose broker, store and handlers are played by a test.
 *
 * <p>The store is the {@link StoreModel}, and answers at once unless it {@linkplain #storeStalls() stalls}. The broker
 * answers commits and questions at once. Handlers end only when the test says how. Time passes only by {@link #passes}.
 *
 * <p>Tasks have names like {@code k0}: letters for the key (none: no key), then the offset of a log, or any number for a
 * message.
 */
final class CoreScript extends RecordedCommands {

    static final Partition PARTITION = Partition.of("orders", 0);
    static final Partition OTHER_PARTITION = Partition.of("orders", 1);
    static final CoreSettings SETTINGS = CoreSettings.builder().commitMillis(0).build();

    /** Epoch milliseconds at the beginning of the monotonic clock. */
    private static final long EPOCH = 1_790_000_000_000L;

    private final ScriptedWorld world;
    private final Source.Kind kind;
    private final QueuePolicy policy;
    private final CustodyBounds custody;
    private final Partition partition;
    private final String executor;
    final QueueCore core;

    private final ArrayDeque<Runnable> brokerAnswers = new ArrayDeque<>();
    private final ArrayDeque<StoreRequest> unanswered = new ArrayDeque<>();
    private final Set<Partition> reached = new LinkedHashSet<>();
    private final ScriptedLog log = new ScriptedLog();
    private boolean stalls;
    private long nextOffset;
    private long nextTag = 1;

    CoreScript(ScriptedWorld world, Source.Kind kind, QueuePolicy policy, CustodyBounds custody, Partition partition) {
        this.world = world;
        this.kind = kind;
        this.policy = policy;
        this.custody = custody;
        this.partition = partition;
        this.executor = "executor-" + ++world.executors;
        this.core = new QueueCore(kind, policy, custody, SETTINGS, executor);
        world.alive.add(this);
    }

    /** An executor of an ordered log with four slots. */
    static CoreScript log() {
        return log(QueuePolicy.ordered(4));
    }

    static CoreScript log(QueuePolicy policy) {
        return log(policy, CustodyBounds.DEFAULTS);
    }

    static CoreScript log(QueuePolicy policy, CustodyBounds custody) {
        return new CoreScript(new ScriptedWorld(), Source.Kind.LOG, policy, custody, PARTITION);
    }

    /** An executor of an ordered message queue with four slots. */
    static CoreScript queue() {
        return queue(QueuePolicy.ordered(4));
    }

    static CoreScript queue(QueuePolicy policy) {
        return new CoreScript(new ScriptedWorld(), Source.Kind.QUEUE, policy, CustodyBounds.DEFAULTS, PARTITION);
    }

    /** Another executor of the same queue, with the same store and time. */
    CoreScript anotherExecutor() {
        return anotherExecutorOf(partition);
    }

    CoreScript anotherExecutorOf(Partition itsPartition) {
        return new CoreScript(world, kind, policy, custody, itsPartition);
    }

    // ---- ownership ----

    /** Assigned and connected: the owner, unless the store refuses. */
    CoreScript owns() {
        return assigned().connects();
    }

    CoreScript assigned() {
        turn(() -> core.assigned(partition, facts(), executor + "-writer"));
        return this;
    }

    CoreScript connects() {
        reached.add(partition);
        turn(() -> core.storeUp(partition));
        return this;
    }

    /** Learns of another partition of the queue. */
    void knows(Partition other) {
        turn(() -> core.partitions(Set.of(partition, other)));
    }

    void revoked() {
        turn(() -> core.revoked(partition));
    }

    void lost() {
        turn(() -> core.lost(partition));
    }

    /** kill -9: the core gets no more turns, and its leases run out. */
    void dies() {
        world.alive.remove(this);
    }

    private Source.Facts facts() {
        return kind == Source.Kind.QUEUE ? Source.Facts.NONE : world.facts();
    }

    /** From now on a source that is assigned the partition finds that records which it had are gone from this offset on. */
    void losesWhatItHadFrom(long offset) {
        world.lostFrom = offset;
    }

    // ---- the broker ----

    /** Delivers tasks that are due. */
    void delivers(String... names) {
        deliver(Arrays.stream(names).map(name -> delivery(name, 0, false)).toList());
    }

    /** Delivers a task that is not due for this time. */
    void deliversDelayed(String name, long millis) {
        deliver(List.of(delivery(name, EPOCH + world.now + millis, false)));
    }

    /** Delivers a message with the broker's mark that it was delivered before. */
    void redelivers(String... names) {
        deliver(Arrays.stream(names).map(name -> delivery(name, 0, true)).toList());
    }

    void deliversUnreadable(String name) {
        Delivery readable = delivery(name, 0, false);
        deliver(List.of(new Delivery(readable.sequence(), readable.task(), "no JSON", readable.identity(), false)));
    }

    /** The source notices that the log may have been cut. */
    void cut(long offset) {
        turn(() -> core.cut(partition, offset));
    }

    /** The log ends at this offset, as the source says when it is asked. */
    void logEnds(long offset) {
        world.logEnd = offset;
    }

    /** All that earlier channels left unacked was delivered again. */
    void catchesUp() {
        turn(() -> core.caughtUp(partition));
    }

    private void deliver(List<Delivery> all) {
        turn(() -> core.delivered(partition, all, kind == Source.Kind.LOG ? nextOffset : -1));
    }

    private Delivery delivery(String name, long notBefore, boolean redelivered) {
        String key = name.replaceAll("\\d", "");
        Task task = task(name, key.isEmpty() ? null : key, notBefore);
        if (kind == Source.Kind.LOG) {
            long offset = Long.parseLong(name.substring(key.length()));
            nextOffset = offset + 1;
            return log.delivered(Delivery.of(offset, task));
        }
        noteDelivery(nextTag, name);
        String identity = identityKind() + "0".repeat(12 - name.length()) + name;
        return new Delivery(nextTag++, task, null, identity, redelivered);
    }

    // ---- the store and the connection to it ----

    /** From now on requests stay on their way. */
    void storeStalls() {
        stalls = true;
    }

    /** Answers all requests on their way, and those to come. */
    void storeAnswers() {
        stalls = false;
        answerAll();
    }

    /** Answers the oldest request on its way with this, whatever the store would say. */
    void storeAnswers(StoreAnswer answer) {
        StoreRequest request = unanswered.remove();
        turn(() -> core.answered(request, answer));
    }

    /** The connection breaks: the store never gets the requests on their way. */
    void connectionBreaks() {
        unanswered.clear();
        reached.clear();
        turn(() -> core.storeDown(partition));
    }

    /** The connection breaks after the store has applied the requests on their way. */
    void answersGetLost() {
        unanswered.forEach(this::apply);
        connectionBreaks();
    }

    /** A task succeeds, and before its outcome can be sent, the connection breaks. */
    void connectionBreaksAtSuccessOf(String name) {
        Run run = ended(name);
        unanswered.clear();
        reached.clear();
        turn(() -> {
            core.finished(run, Outcome.Succeeded.INSTANCE);
            core.storeDown(partition);
        });
    }

    /** Redis restarts with all its data, and all connections break. */
    void redisRestarts() {
        world.store.restarted("redis-2");
        connectionBreaks();
    }

    /** Forgets what the store was told while this ran, as a Redis that lost its last second. */
    void storeForgets(Runnable what) {
        StoreModel.Snapshot before = world.store.snapshot();
        what.run();
        world.store.restore(before);
    }

    /** Whether the store has no memory left for more tasks. */
    void storeIsFull(boolean full) {
        world.store.full(full);
    }

    void storeHasRoom(StoreRoom room) {
        turn(() -> core.storeRoom(partition, room));
    }

    /** An operator retries a dead task that is not the head of its key. */
    void retriesDead(Position position) {
        store().retryDead(position, EPOCH + world.now);
        turn(() -> core.woken(partition));
    }

    private StoreAnswer apply(StoreRequest request) {
        return world.store.apply(request, EPOCH + world.now);
    }

    // ---- handlers ----

    @Override
    void ends(Run run, Outcome outcome) {
        turn(() -> core.finished(run, outcome));
    }

    @Override
    long now() {
        return world.now;
    }

    /** Allows so many starts from now on. */
    void limitsStarts(int starts) {
        turn(() -> core.limitStarts(starts));
    }

    void unlimitsStarts() {
        turn(core::unlimitStarts);
    }

    // ---- time ----

    void mayHold(long bytes) {
        core.memoryBound(bytes);
        turn(() -> {});
    }

    /** Returns the size of what is in memory. */
    long bytes() {
        return core.bytes();
    }

    /** Says how long the broker waits for an ack, less a margin. */
    CoreScript mayStayUnacked(long millis) {
        core.maxUnacked(millis);
        return this;
    }

    /** Lets time pass for all executors of this test. */
    void passes(long millis) {
        long until = world.now + millis;
        for (long next = world.nextTurn(); next <= until; next = world.nextTurn()) {
            world.now = Math.max(next, world.now + 1);
            world.alive.forEach(each -> each.turn(() -> {}));
        }
        world.now = until;
        world.alive.forEach(each -> each.turn(() -> {}));
    }

    long nextTurn() {
        return core.nextTurn();
    }

    void turn(Runnable event) {
        core.clock(world.now, EPOCH + world.now);
        event.run();
        core.flush(this);
        answerAll();
    }

    private void answerAll() {
        while (!brokerAnswers.isEmpty() || !stalls && !unanswered.isEmpty()) {
            Runnable event = brokerAnswers.poll();
            if (event == null) {
                StoreRequest request = unanswered.remove();
                StoreAnswer answer = apply(request);
                event = () -> core.answered(request, answer);
            }
            core.clock(world.now, EPOCH + world.now);
            event.run();
            core.flush(this);
        }
    }

    /** Contents of the store about the partition. */
    ModelPartition store() {
        return world.store.partition(partition);
    }

    long committed() {
        return world.committed;
    }

    // ---- commands that are answered ----

    @Override
    public void send(StoreRequest request) {
        if (reached.contains(request.partition())) {
            super.send(request);
            unanswered.add(request);
        }
    }

    @Override
    public void reach(Partition other) {
        reached.add(other);
        brokerAnswers.add(() -> core.storeUp(other));
    }

    @Override
    public void commit(Partition of, long upTo) {
        world.committed = upTo;
        brokerAnswers.add(() -> core.committed(of, upTo));
    }

    @Override
    public void recall(Partition of, Recall recall) {
        super.recall(of, recall);
        log.recall(core, of, recall, brokerAnswers);
    }

    /** From now on answers to recalls stay on their way; or those that did arrive. */
    void recallsStall(boolean stall) {
        turn(() -> log.stalls(stall));
    }

    /** From now on records can't be read again. */
    void readsNothingAgain(boolean fails) {
        log.fails(fails);
    }

    @Override
    public void confirm(Partition of) {
        brokerAnswers.add(() -> core.confirmed(of, facts()));
    }
}
