package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.UnavailableException;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The metrics of the cluster at the first scrape of a server. */
class ClusterQueueMetricsTest {

    @Test
    void outcomesBeginWithTheHistoryOfTheQueue() {
        assertThat(scraped(() -> List.of(
                        new PartitionInfo("0", "an executor", 0, TaskCounts.NONE, Map.of("lapsed", 7L), 0, null))))
                .contains("tandem_queue_outcomes_total{outcome=\"lapsed\",queue=\"orders\"} 7.0");
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

    private static String scraped(Supplier<List<PartitionInfo>> partitions) {
        Inspection inspection = (Inspection) Proxy.newProxyInstance(
                Inspection.class.getClassLoader(),
                new Class<?>[] {Inspection.class},
                (proxy, method, arguments) -> partitions.get());
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new ClusterQueueMetrics(Set.of("orders"), inspection, queue -> Map.of()).bindTo(registry);
        // The first answer of Redis adds metrics.
        registry.scrape();
        return registry.scrape();
    }
}
