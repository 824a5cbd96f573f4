package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.server.inspect.UnavailableException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** When partitions without an owner are named. */
class OwnerWatchTest {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private static final Duration NOTICE = Duration.ofSeconds(60);

    private long now;
    private List<String> unowned = List.of();
    private boolean unavailable;
    private Map<String, Long> lags = Map.of("0", 5L, "1", 0L);
    private final List<Set<String>> asked = new ArrayList<>();
    private final OwnerWatch watch =
            new OwnerWatch(queues("kafka"), queue -> lags, this::unowned, LEASE, NOTICE, () -> now);

    private static Map<String, QueueSettings> queues(String source) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test", Map.of("tandem.queues.orders.source", source, "tandem.queues.orders.partitions", "2")));
        return SettingsLoader.load(environment).queues();
    }

    private List<String> unowned(String queue, Set<String> ofBroker) {
        asked.add(ofBroker);
        if (unavailable) {
            throw new UnavailableException("no answer");
        }
        return unowned;
    }

    @AfterEach
    void close() {
        watch.close();
    }

    private void lookAfter(Duration time) {
        now += time.toNanos();
        watch.look();
    }

    @Test
    void partitionIsNamedOnceItHasHadNoOwnerForALease() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        watch.bindTo(registry);
        unowned = List.of("1");
        lookAfter(Duration.ZERO);
        lookAfter(LEASE.minusMillis(1));
        assertThat(watch.unowned()).isEmpty();
        lookAfter(Duration.ofMillis(1));
        assertThat(watch.unowned())
                .containsExactly(Map.entry("orders", "no executor works on partition 1, so tasks wait"));
        assertThat(registry.get("tandem.queue.unowned.partitions").gauge().value())
                .isEqualTo(1);

        unowned = List.of();
        lookAfter(Duration.ofSeconds(1));
        assertThat(watch.unowned()).isEmpty();
    }

    @Test
    void partitionThatWasAddedIsNamedOnceExecutorsMustHaveNoticedItToo() {
        lookAfter(Duration.ZERO);
        lags = Map.of("0", 5L, "1", 0L, "2", 0L);
        unowned = List.of("2");
        lookAfter(Duration.ofSeconds(30));
        assertThat(watch.gaps("orders").of("2")).isZero();
        assertThat(watch.gaps("orders").usual()).isEqualTo(NOTICE.plus(LEASE));
        lookAfter(NOTICE);
        assertThat(watch.unowned()).isEmpty();
        assertThat(watch.gaps("orders").of("2")).isEqualTo(NOTICE);
        lookAfter(LEASE);
        assertThat(watch.unowned()).containsKey("orders");

        unowned = List.of();
        lookAfter(Duration.ofSeconds(5));
        unowned = List.of("2");
        lookAfter(Duration.ofSeconds(5));
        lookAfter(LEASE);
        assertThat(watch.unowned()).as("it is not new any more").containsKey("orders");
    }

    @Test
    void partitionsAreNamedInOrder() {
        lags = new HashMap<>();
        IntStream.range(0, 16).forEach(number -> lags.put(Integer.toString(number), 0L));
        unowned = List.of("11", "12", "0", "1", "2");
        lookAfter(Duration.ZERO);
        lookAfter(LEASE);
        assertThat(watch.unowned().get("orders")).contains("partitions 0, 1, 2, 11, 12,");

        unowned = List.copyOf(lags.keySet());
        lookAfter(LEASE);
        lookAfter(LEASE);
        assertThat(watch.unowned().get("orders")).contains("all 16 partitions,");
    }

    @Test
    void partitionThatMovesIsNotNamed() {
        for (int move = 0; move < 5; move++) {
            unowned = List.of("1");
            lookAfter(Duration.ofSeconds(4));
            unowned = List.of("0");
            lookAfter(Duration.ofSeconds(4));
        }
        assertThat(watch.unowned()).isEmpty();
    }

    @Test
    void nothingIsNamedWhileTheStoreDoesNotAnswer() {
        unowned = List.of("0", "1");
        lookAfter(Duration.ZERO);
        lookAfter(LEASE);
        assertThat(watch.unowned()).containsKey("orders");
        unavailable = true;
        lookAfter(Duration.ofSeconds(5));
        assertThat(watch.unowned()).isEmpty();
        unavailable = false;
        lookAfter(Duration.ofSeconds(5));
        assertThat(watch.unowned()).as("it may have had an owner meanwhile").isEmpty();
        lookAfter(LEASE);
        assertThat(watch.unowned()).containsKey("orders");
    }

    @Test
    void brokerIsAskedForItsPartitionsNowAndThen() {
        lookAfter(Duration.ZERO);
        lags = Map.of("", 3L, "0", 5L, "1", 0L, "2", 0L);
        lookAfter(Duration.ofSeconds(5));
        lookAfter(Duration.ofSeconds(25));
        lags = Map.of();
        lookAfter(Duration.ofSeconds(30));
        assertThat(asked)
                .containsExactly(Set.of("0", "1"), Set.of("0", "1"), Set.of("0", "1", "2"), Set.of("0", "1", "2"));
    }

    @Test
    void partitionsOfRabbitQueuesAreThoseOfTheSettingsToo() {
        try (OwnerWatch ofRabbit =
                new OwnerWatch(queues("rabbit"), queue -> lags, this::unowned, LEASE, NOTICE, () -> now)) {
            lags = Map.of();
            ofRabbit.look();
        }
        assertThat(asked).containsExactly(Set.of("0", "1"));
    }
}
