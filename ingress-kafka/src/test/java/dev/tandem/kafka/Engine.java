package dev.tandem.kafka;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.time.Duration;
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

/** Stands for the executor's engine: drives a source on one thread and writes down all that it is told. */
final class Engine implements Source.Events, AutoCloseable {

    static {
        // For a machine that is busy; what is waited for comes at once on an idle one.
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    private static final AtomicLong CLOCK = new AtomicLong();

    /** One thing that the source told; {@code at} orders the events of all engines. */
    record Event(long at, String kind, @Nullable Partition partition, long number, Source.@Nullable Facts facts) {}

    final KafkaSource source;
    private final Queue<Event> events = new ConcurrentLinkedQueue<>();
    private final Map<Partition, Queue<Delivery>> delivered = new ConcurrentHashMap<>();
    private final AtomicInteger deliveredCount = new AtomicInteger();
    final Map<Partition, Long> position = new ConcurrentHashMap<>();

    /** What is done on the loop's thread when a partition is assigned; by default it is opened. */
    volatile Consumer<Partition> onAssigned;

    /** What is done on the loop's thread while partitions are revoked. */
    volatile Consumer<Partition> onRevoked = partition -> {};

    volatile long maxMillis = 500;
    private final Queue<Runnable> actions = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;

    Engine(KafkaSettings settings) {
        source = new KafkaSource(settings);
        onAssigned = source::open;
        thread = new Thread(this::run, "loop");
    }

    static Engine started(KafkaSettings settings) {
        Engine engine = new Engine(settings);
        engine.start();
        return engine;
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

    /** Runs on the loop's thread, and waits for it. */
    void call(Runnable action) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        actions.add(() -> {
            action.run();
            done.complete(null);
        });
        source.wakeup();
        // A loop that ended says why when it is closed.
        done.orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** In their order. */
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

    /** Partitions that were assigned last and not taken away since. */
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
        position.put(partition, nextSequence);
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
            throw new AssertionError(kind + " came on " + Thread.currentThread());
        }
        events.add(new Event(CLOCK.incrementAndGet(), kind, partition, number, facts));
    }

    /** Leaves the group in good order. */
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
            throw new AssertionError("The loop ended: " + failure, failure);
        }
    }
}
