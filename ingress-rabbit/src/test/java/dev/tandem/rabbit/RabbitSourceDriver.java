package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.fail;

import dev.tandem.task.Delivery;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Takes the place of a queue's loop: polls a source on the test's thread and records its events. */
final class RabbitSourceDriver implements Source.Events, AutoCloseable {

    private static final long LIMIT_NANOS = 120_000_000_000L;

    final RabbitSource source;
    final Map<Partition, List<Delivery>> delivered = new LinkedHashMap<>();
    final List<Partition> lost = new ArrayList<>();
    final List<Partition> confirmed = new ArrayList<>();
    final List<Partition> caughtUp = new ArrayList<>();

    private long longestPoll;

    RabbitSourceDriver(RabbitSettings settings) {
        this(settings, MemoryBudget.ofHeap());
    }

    RabbitSourceDriver(RabbitSettings settings, MemoryBudget memory) {
        this(settings, memory, System::nanoTime);
    }

    RabbitSourceDriver(RabbitSettings settings, MemoryBudget memory, LongSupplier nanoTime) {
        source = new RabbitSource(settings, memory, nanoTime);
    }

    /** Polls until the condition is true. */
    void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                fail("Timed out waiting for: " + what + "; delivered " + all().size() + ", lost " + lost + ", status "
                        + source.status());
            }
            long start = System.nanoTime();
            source.poll(100, this);
            longestPoll = Math.max(longestPoll, (System.nanoTime() - start) / 1_000_000);
        }
    }

    /** Polls once without waiting. */
    RabbitSourceDriver poll() {
        source.poll(0, this);
        return this;
    }

    /** Returns the duration of the longest poll in milliseconds. */
    long longestPoll() {
        return longestPoll;
    }

    RabbitSourceDriver connected() {
        until("connected", () -> !source.leasable().isEmpty());
        return this;
    }

    /** Waits for the connection, then returns the partitions. */
    List<Partition> partitions() {
        connected();
        return List.copyOf(source.leasable());
    }

    Partition partition(int number) {
        return partitions().get(number);
    }

    RabbitSourceDriver openAll() {
        partitions().forEach(source::open);
        return this;
    }

    void untilDelivered(int count) {
        until(count + " delivered", () -> all().size() >= count);
    }

    /** Returns all deliveries, those of each partition in their order. */
    List<Delivery> all() {
        List<Delivery> all = new ArrayList<>();
        delivered.values().forEach(all::addAll);
        return all;
    }

    List<Delivery> of(Partition partition) {
        return delivered.getOrDefault(partition, List.of());
    }

    List<String> bodies(Partition partition) {
        return of(partition).stream().map(RabbitSourceDriver::body).toList();
    }

    List<String> bodies() {
        return all().stream().map(RabbitSourceDriver::body).toList();
    }

    static String body(Delivery delivery) {
        return new String(delivery.task().payload(), StandardCharsets.UTF_8);
    }

    void ackAll() {
        delivered.forEach((partition, deliveries) -> source.ack(
                partition, deliveries.stream().map(Delivery::sequence).toList()));
    }

    /** Polls a few times, so that deliveries under way arrive and waiting acks are sent. */
    void turns() {
        for (int i = 0; i < 5; i++) {
            source.poll(20, this);
        }
    }

    /** Polls for long enough that a source has checked many times whether another consumer is gone. */
    void manyTurns() {
        for (int i = 0; i < 5; i++) {
            turns();
        }
    }

    /** Makes a round trip on the consuming channel. Afterwards all that the broker had sent before is delivered. */
    void roundTrip(Partition partition) {
        until("consuming", () -> source.consumingChannel(partition) != null);
        int before = confirmed.size();
        source.confirm(partition);
        until("confirmed", () -> confirmed.size() > before);
        turns();
    }

    @Override
    public void assigned(Partition partition, Source.Facts facts) {
        fail("RabbitMQ partitions are leased, but " + partition + " was assigned");
    }

    @Override
    public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {
        delivered.computeIfAbsent(partition, p -> new ArrayList<>()).addAll(deliveries);
    }

    @Override
    public void committed(Partition partition, long upTo) {
        fail("The messages of a queue are not committed");
    }

    @Override
    public void commitFailed(Partition partition, String why) {
        fail("The messages of a queue are not committed");
    }

    @Override
    public void confirmed(Partition partition, Source.Facts facts) {
        confirmed.add(partition);
    }

    @Override
    public void caughtUp(Partition partition) {
        caughtUp.add(partition);
    }

    @Override
    public void revoked(Collection<Partition> partitions) {
        fail("A broker does not revoke leases");
    }

    @Override
    public void lost(Collection<Partition> partitions) {
        lost.addAll(partitions);
    }

    @Override
    public void close() {
        source.close();
    }
}
