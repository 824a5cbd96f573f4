package dev.tandem.executor;

import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.HeldTask;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.Registration;
import dev.tandem.task.store.Registration.OperatorPause;
import dev.tandem.task.store.RunningTask;
import dev.tandem.task.store.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The registrations of one executor: one in each store of its queues. So every executor is seen, shares partitions and is
 * paused by operators, without any code of the program that runs it. Thread-safe once all queues are added.
 */
final class Registrations implements AutoCloseable {

    private final String executorId;
    private final Map<Store, List<QueueLoop>> loops = new IdentityHashMap<>();
    private final Map<String, HandledTypes> handled = new ConcurrentHashMap<>();
    private final Map<String, Registration> byQueue = new ConcurrentHashMap<>();
    private final Map<String, AtomicReference<PausedTasks>> pausedTasks = new ConcurrentHashMap<>();

    // Guarded by this.
    private final List<Registration> open = new ArrayList<>();
    private boolean closed;

    Registrations(String executorId) {
        this.executorId = executorId;
    }

    /** Adds a queue. To be called before {@link #open}. */
    void add(QueueSpec spec, QueueLoop loop) {
        loops.computeIfAbsent(spec.store(), none -> new ArrayList<>()).add(loop);
        handled.put(spec.name(), spec.handlers().handled());
    }

    /** Registers the executor. Until a store has said whether a queue is paused, or gives up, the queue starts no task. */
    void open() {
        loops.forEach((store, ofStore) -> {
            ofStore.forEach(loop -> loop.pauseByOperator(OperatorPause.AWAITED));
            Registration made = store.register(new Entry(ofStore));
            ofStore.forEach(loop -> byQueue.put(loop.name(), made));
            if (!keep(made)) {
                made.close();
            }
        });
    }

    private synchronized boolean keep(Registration made) {
        if (!closed) {
            open.add(made);
        }
        return !closed;
    }

    /** Returns the ids of the other executors that share a queue's partitions; none before {@link #open}. */
    Set<String> sharing(String queue) {
        Registration registration = byQueue.get(queue);
        return registration == null ? Set.of() : registration.sharing(queue);
    }

    /** Returns the live executors of a queue that announce their handlers; none before {@link #open}. */
    Collection<HandlerPeer> peers(String queue) {
        Registration registration = byQueue.get(queue);
        return registration == null ? List.of() : registration.peers(queue);
    }

    /** Returns what says which tasks of a queue operators have paused; none before {@link #open}. */
    Supplier<PausedTasks> pausedTasks(String queue) {
        return pausedTasks.computeIfAbsent(queue, none -> new AtomicReference<>(PausedTasks.NONE))::get;
    }

    /** Ends all registrations. Safe when called again. */
    @Override
    public void close() {
        List<Registration> closing;
        synchronized (this) {
            closed = true;
            closing = List.copyOf(open);
            open.clear();
        }
        closing.forEach(Registration::close);
    }

    /** The executor as one store knows it: with the queues that are in this store. */
    private final class Entry implements Registration.Registrant {

        private final Map<String, QueueLoop> queues;

        Entry(List<QueueLoop> ofStore) {
            queues = ofStore.stream().collect(Collectors.toUnmodifiableMap(QueueLoop::name, loop -> loop));
        }

        @Override
        public String id() {
            return executorId;
        }

        @Override
        public Set<String> queues() {
            return queues.keySet();
        }

        @Override
        public Map<String, HandledTypes> handled() {
            Map<String, HandledTypes> ofStore = new LinkedHashMap<>(handled);
            ofStore.keySet().retainAll(queues.keySet());
            return ofStore;
        }

        @Override
        public Map<String, HandledTypes> unhandled() {
            Map<String, HandledTypes> unhandled = new LinkedHashMap<>();
            queues.forEach((name, loop) -> {
                Set<String> types = loop.unhandledTypes();
                if (!types.isEmpty()) {
                    unhandled.put(name, new HandledTypes(types, false));
                }
            });
            return unhandled;
        }

        @Override
        public Map<String, Integer> shares() {
            Map<String, Integer> shares = new LinkedHashMap<>();
            queues.forEach((name, loop) -> {
                QueueStatus status = loop.status();
                if (status.sharing()) {
                    shares.put(name, status.running());
                }
            });
            return shares;
        }

        @Override
        public Set<String> working() {
            return queues.values().stream()
                    .map(QueueLoop::status)
                    .filter(status -> status.healthy() && status.partitions() > 0)
                    .map(QueueStatus::queue)
                    .collect(Collectors.toUnmodifiableSet());
        }

        @Override
        public CompletionStage<Map<String, Long>> oldestWaits(String queue) {
            QueueLoop loop = queues.get(queue);
            return loop == null
                    ? CompletableFuture.completedFuture(Map.of())
                    : loop.held().oldestWaits();
        }

        @Override
        public CompletionStage<List<String>> cancel(String queue, String id) {
            QueueLoop loop = queues.get(queue);
            return loop == null
                    ? CompletableFuture.completedFuture(List.of())
                    : loop.held().cancel(id);
        }

        @Override
        public CompletionStage<List<HeldTask>> find(String queue, String id) {
            QueueLoop loop = queues.get(queue);
            return loop == null
                    ? CompletableFuture.completedFuture(List.of())
                    : loop.held().find(id);
        }

        @Override
        public CompletionStage<HeldAnswer> held(String queue, HeldQuestion question) {
            QueueLoop loop = queues.get(queue);
            return loop == null
                    ? CompletableFuture.completedFuture(HeldAnswer.NONE)
                    : loop.held().held(question);
        }

        @Override
        public CompletionStage<List<RunningTask>> running(String queue) {
            QueueLoop loop = queues.get(queue);
            return loop == null
                    ? CompletableFuture.completedFuture(List.of())
                    : loop.held().running();
        }

        @Override
        public void pausedTasks(String queue, PausedTasks tasks) {
            AtomicReference<PausedTasks> known = pausedTasks.get(queue);
            if (known != null) {
                known.set(tasks);
            }
        }

        @Override
        public void paused(String queue, OperatorPause paused) {
            QueueLoop loop = queues.get(queue);
            if (loop != null) {
                loop.pauseByOperator(paused);
            }
        }
    }
}
