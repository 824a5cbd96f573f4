package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.fail;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A source and its loop, driven by the test's thread. */
final class Loop implements Source.Events, AutoCloseable {

    private static final long LIMIT_NANOS = 40_000_000_000L;

    final RabbitSource source;
    final Map<Partition, List<Delivery>> delivered = new LinkedHashMap<>();
    final List<Partition> lost = new ArrayList<>();
    final List<Partition> confirmed = new ArrayList<>();
    final List<Partition> caughtUp = new ArrayList<>();

    private long longestPoll;

    Loop(RabbitSettings settings) {
        source = new RabbitSource(settings);
    }

    /** Polls until it is so. */
    void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                fail("Not in time: " + what + "; delivered " + all().size() + ", lost " + lost + ", status "
                        + source.status());
            }
            long start = System.nanoTime();
            source.poll(100, this);
            longestPoll = Math.max(longestPoll, (System.nanoTime() - start) / 1_000_000);
        }
    }

    /** One turn. */
    Loop poll() {
        source.poll(0, this);
        return this;
    }

    /** Milliseconds. */
    long longestPoll() {
        return longestPoll;
    }

    Loop connected() {
        until("connected", () -> !source.leasable().isEmpty());
        return this;
    }

    /** The partitions, once connected. */
    List<Partition> partitions() {
        connected();
        return List.copyOf(source.leasable());
    }

    Partition partition(int number) {
        return partitions().get(number);
    }

    Loop openAll() {
        partitions().forEach(source::open);
        return this;
    }

    void untilDelivered(int count) {
        until(count + " delivered", () -> all().size() >= count);
    }

    /** What came, per partition in order. */
    List<Delivery> all() {
        List<Delivery> all = new ArrayList<>();
        delivered.values().forEach(all::addAll);
        return all;
    }

    List<Delivery> of(Partition partition) {
        return delivered.getOrDefault(partition, List.of());
    }

    List<String> bodies(Partition partition) {
        return of(partition).stream().map(Loop::body).toList();
    }

    List<String> bodies() {
        return all().stream().map(Loop::body).toList();
    }

    static String body(Delivery delivery) {
        return new String(delivery.task().payload(), StandardCharsets.UTF_8);
    }

    void ackAll() {
        delivered.forEach((partition, deliveries) -> source.ack(
                partition, deliveries.stream().map(Delivery::sequence).toList()));
    }

    /** Polls a few times, so that what is on its way to the loop is there, and what the loop held back is sent. */
    void turns() {
        for (int i = 0; i < 5; i++) {
            source.poll(20, this);
        }
    }

    /** Polls for so long that a source which waits for another consumer's end has looked for it many times. */
    void looks() {
        for (int i = 0; i < 5; i++) {
            turns();
        }
    }

    /** Round trips on the consuming channel: what the broker had sent before is delivered after. */
    void settle(Partition partition) {
        until("consuming", () -> source.consuming(partition) != null);
        int before = confirmed.size();
        source.confirm(partition);
        until("confirmed", () -> confirmed.size() > before);
        turns();
    }

    @Override
    public void assigned(Partition partition, Source.Facts facts) {
        fail("Partitions of RabbitMQ are leased, but " + partition + " was assigned");
    }

    @Override
    public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {
        delivered.computeIfAbsent(partition, p -> new ArrayList<>()).addAll(deliveries);
    }

    @Override
    public void committed(Partition partition, long upTo) {
        fail("A queue commits nothing");
    }

    @Override
    public void commitFailed(Partition partition, String why) {
        fail("A queue commits nothing");
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
        fail("A lease is not revoked by the broker");
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
