package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.Overview;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueFacts;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.store.PausedTasks;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** The metrics of the cluster at the first scrape of a server. */
class ClusterQueueMetricsTest {

    @Test
    void outcomesBeginWithTheHistoryOfTheQueue() {
        assertThat(scraped(() -> List.of(new PartitionInfo(
                        "0", "an executor", 0, TaskCounts.NONE, Map.of("lapsed", 7L), 0, 0, 0L, null))))
                .contains("tandem_queue_outcomes_total{outcome=\"lapsed\",queue=\"orders\"} 7.0");
    }

    @Test
    void tasksInLinesAreCounted() {
        assertThat(scraped(() -> List.of(
                        new PartitionInfo("0", "an executor", 0, TaskCounts.NONE, Map.of(), 0, 3, 1_500L, null),
                        new PartitionInfo("1", null, 0, TaskCounts.NONE, Map.of(), 0, 4, 0L, null))))
                .contains(
                        "tandem_queue_tasks_in_lines{queue=\"orders\"} 7.0",
                        "tandem_queue_oldest_wait_seconds{queue=\"orders\"} 1.5");
    }

    /** After a 0 the history of the queue would look like an increase, and alert. A NaN would silence the alert. */
    @Test
    void outcomesHaveNoSampleUntilRedisHasAnswered() {
        assertThat(scraped(() -> {
                    throw new UnavailableException("no Redis");
                }))
                .contains("tandem_queue_tasks{queue=\"orders\",state=\"dead\"} NaN")
                .doesNotContain("tandem_queue_outcomes", "tandem_queue_blocked_keys", "tandem_queue_lag");
    }

    /** A question takes a timeout while Redis is silent: one for all queues, not one for each. */
    @Test
    void silentRedisIsAskedOnceForAllQueues() {
        List<Collection<String>> asked = new ArrayList<>();
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Inspection silent = inspection(queues -> {
            asked.add(queues);
            return QueueFacts.unknown("no Redis");
        });
        new ClusterQueueMetrics(Set.of("orders", "mail", "pictures"), silent, queue -> Map.of()).bindTo(registry);

        assertThat(registry.scrape()).contains("queue=\"mail\",state=\"dead\"} NaN");
        assertThat(asked)
                .hasSize(1)
                .first()
                .asInstanceOf(InstanceOfAssertFactories.COLLECTION)
                .hasSize(3);
    }

    private static Inspection inspection(Function<Collection<String>, QueueFacts> facts) {
        return (Inspection) Proxy.newProxyInstance(
                Inspection.class.getClassLoader(), new Class<?>[] {Inspection.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("overview");
                    @SuppressWarnings("unchecked")
                    Collection<String> queues = (Collection<String>) arguments[0];
                    QueueFacts each = facts.apply(queues);
                    return new Overview(
                            queues.stream().collect(Collectors.toMap(queue -> queue, queue -> each)), Map.of());
                });
    }

    private static String scraped(Supplier<List<PartitionInfo>> partitions) {
        Inspection inspection = inspection(queues -> {
            try {
                return new QueueFacts(partitions.get(), false, PausedTasks.NONE, null, null);
            } catch (UnavailableException e) {
                return QueueFacts.unknown("no Redis");
            }
        });
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new ClusterQueueMetrics(Set.of("orders"), inspection, queue -> Map.of()).bindTo(registry);
        // The first answer of Redis adds metrics.
        registry.scrape();
        return registry.scrape();
    }
}
