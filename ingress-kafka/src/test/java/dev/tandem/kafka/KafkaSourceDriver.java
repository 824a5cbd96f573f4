package dev.tandem.kafka;

import dev.tandem.task.Delivery;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.testkit.Brokers;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Takes the place of a queue's loop: drives a source on one thread and records its events. */
final class KafkaSourceDriver implements Source.Events, AutoCloseable {

    static {
        Awaitility.setDefaultTimeout(Brokers.PATIENCE);
    }

    private static final AtomicLong CLOCK = new AtomicLong();

    /** An event of the source. {@code at} orders the events of all drivers. */
    record Event(long at, String kind, @Nullable Partition partition, long number, Source.@Nullable Facts facts) {}

    final KafkaSource source;
    private final Queue<Event> events = new ConcurrentLinkedQueue<>();
    private final Map<Partition, Queue<Delivery>> delivered = new ConcurrentHashMap<>();
    private final Queue<Delivery> recalled = new ConcurrentLinkedQueue<>();
    private final AtomicInteger deliveredCount = new AtomicInteger();
    final Map<Partition, Long> position = new ConcurrentHashMap<>();

    /** Called on the polling thread when a partition is assigned. Opens it by default. */
    volatile Consumer<Partition> onAssigned;

    /** Called on the polling thread while partitions are revoked. */
    volatile Consumer<Partition> onRevoked = partition -> {};

    /** Called on the polling thread with each delivery. */
    volatile Runnable onDelivered = () -> {};

    /** Whether something that is known becomes void when the log is cut. */
    volatile boolean knowsWhatIsCut;

    volatile long maxMillis = 500;
    private final Queue<Runnable> actions = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;

    KafkaSourceDriver(KafkaSettings settings) {
        this(settings, MemoryBudget.ofHeap());
    }

    KafkaSourceDriver(KafkaSettings settings, MemoryBudget memory) {
        source = new KafkaSource(settings, memory);
        onAssigned = source::open;
        thread = new Thread(this::run, "polling");
    }

    static KafkaSourceDriver started(KafkaSettings settings) {
        KafkaSourceDriver driver = new KafkaSourceDriver(settings);
        driver.start();
        return driver;
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!stopped) {
                source.poll(maxMillis, this);
                for (Runnable action = actions.poll(); action != null; action = actions.poll()) {
                    action.run();
                }
            }
            source.close();
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    /** Runs the action on the polling thread and waits for it. */
    void call(Runnable action) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        actions.add(() -> {
            action.run();
            done.complete(null);
        });
        source.wakeup();
        // If the thread has ended, close() reports why.
        done.orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** Returns all events, oldest first. */
    List<Event> events() {
        return List.copyOf(events);
    }

    List<Event> events(String kind) {
        return events.stream().filter(each -> each.kind().equals(kind)).toList();
    }

    List<Event> events(String kind, Partition partition) {
        return events(kind).stream()
                .filter(each -> partition.equals(each.partition()))
                .toList();
    }

    List<Delivery> delivered(Partition partition) {
        Queue<Delivery> some = delivered.get(partition);
        return some == null ? List.of() : List.copyOf(some);
    }

    /** Returns the partitions that were assigned and not taken away since. */
    Set<Partition> owned() {
        Set<Partition> owned = new HashSet<>();
        for (Event each : events) {
            if (each.kind().equals("assigned")) {
                owned.add(each.partition());
            } else if (each.kind().equals("revoked") || each.kind().equals("lost")) {
                owned.remove(each.partition());
            }
        }
        return owned;
    }

    int deliveredCount() {
        return deliveredCount.get();
    }

    List<Long> offsets(Partition partition) {
        return delivered(partition).stream().map(Delivery::sequence).toList();
    }

    @Override
    public void assigned(Partition partition, Source.Facts facts) {
        add("assigned", partition, facts.committed(), facts);
        onAssigned.accept(partition);
    }

    @Override
    public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {
        add("delivered", partition, nextSequence, null);
        delivered
                .computeIfAbsent(partition, each -> new ConcurrentLinkedQueue<>())
                .addAll(deliveries);
        deliveredCount.addAndGet(deliveries.size());
        onDelivered.run();
        position.put(partition, nextSequence);
    }

    @Override
    public void recalled(Partition partition, long id, Collection<Delivery> deliveries, long next) {
        recalled.addAll(deliveries);
        add("recalled", partition, next, null);
    }

    @Override
    public void deleted(Partition partition, long id, long logStart) {
        add("deleted", partition, logStart, null);
    }

    /** Records that were read again. */
    List<Delivery> recalled() {
        return List.copyOf(recalled);
    }

    @Override
    public boolean cut(Partition partition, long offset) {
        boolean isVoid = knowsWhatIsCut && events("cut", partition).isEmpty();
        add("cut", partition, offset, null);
        if (isVoid) {
            // As the queue's loop does once it has told the store, which then knows nothing at the cut.
            actions.add(() -> source.rewind(partition));
        }
        return isVoid;
    }

    @Override
    public void committed(Partition partition, long upTo) {
        add("committed", partition, upTo, null);
    }

    @Override
    public void commitFailed(Partition partition, String why) {
        add("commitFailed", partition, -1, null);
    }

    @Override
    public void confirmed(Partition partition, Source.Facts facts) {
        add("confirmed", partition, facts.committed(), facts);
    }

    @Override
    public void revoked(Collection<Partition> partitions) {
        partitions.forEach(each -> add("revoked", each, -1, null));
        partitions.forEach(onRevoked);
    }

    @Override
    public void lost(Collection<Partition> partitions) {
        partitions.forEach(each -> add("lost", each, -1, null));
    }

    private void add(String kind, Partition partition, long number, Source.@Nullable Facts facts) {
        if (!Thread.currentThread().equals(thread)) {
            throw new AssertionError("The event " + kind + " was reported on " + Thread.currentThread());
        }
        events.add(new Event(CLOCK.incrementAndGet(), kind, partition, number, facts));
    }

    /** Closes the source, which leaves the group. */
    @Override
    public void close() {
        stopped = true;
        source.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw new AssertionError("The polling thread failed: " + failure, failure);
        }
    }
}
