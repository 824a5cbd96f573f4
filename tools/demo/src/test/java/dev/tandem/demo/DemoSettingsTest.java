package dev.tandem.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.BrokerAddresses;
import dev.tandem.local.LocalPlatform;
import dev.tandem.testkit.DocumentedBlocks;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The server of {@code ./tandem up} takes no tasks from programs that people write beside it. */
class DemoSettingsTest {

    private static final LocalPlatform PLATFORM = LocalPlatform.start(
            new BrokerAddresses("localhost:9092", "amqp://localhost", "redis://localhost"), true, line -> {});

    @Test
    void noProgramOfTheDocumentationRunsAQueueOfTheSamples() {
        Set<String> samples = queues(DemoSettings.samples(PLATFORM, true)).keySet();

        assertThat(samples).containsExactly(DemoSettings.SAMPLE, "demo-mail");
        assertThat(queues(DemoSettings.samples(PLATFORM, false))).containsOnlyKeys(DemoSettings.SAMPLE);
        for (String sample : samples) {
            assertThat(DocumentedBlocks.all().stream()
                            .map(DocumentedBlocks.Block::text)
                            .filter(text -> text.contains("queue(\"" + sample + "\")")
                                    || text.contains("queue = \"" + sample + "\"")))
                    .isEmpty();
        }
    }

    @Test
    void schedulesOfTheDemoFireOneTaskMoreAtATimeThanTheLimitOfTheirQueuePermits() {
        Map<?, ?> reports =
                (Map<?, ?>) queues(DemoSettings.demo(PLATFORM, true)).get(DemoWorkload.REPORTS);

        Map<String, Object> schedules = part(DemoSettings.demo(PLATFORM, true), "schedules");
        assertThat(schedules.keySet()).hasSize(3).containsExactlyElementsOf(Firings.SCHEDULES);
        assertThat(schedules.values())
                .allSatisfy(schedule ->
                        assertThat(((Map<?, ?>) schedule).get("payload")).isEqualTo(Firings.PAYLOAD));
        assertThat(reports.get("max-running")).isEqualTo(2);
        assertThat(queues(DemoSettings.demo(PLATFORM, true)))
                .containsOnlyKeys("orders", "reminders", "invoices", "reports", "mails");
    }

    @Test
    void queuesOfOnesOwnAreShownWithoutAHandler() {
        String settings = DemoSettings.shown(
                PLATFORM,
                Stream.of("orders.created", "kafka:parcels", "rabbit:mail", "rabbit:invoices:key")
                        .map(new ShownQueue.Converter()::convert)
                        .toList());

        assertThat(queues(settings))
                .isEqualTo(Map.of(
                        "[orders.created]",
                        Map.of("source", "kafka"),
                        "[parcels]",
                        Map.of("source", "kafka"),
                        "[mail]",
                        Map.of("source", "rabbit"),
                        "[invoices]",
                        Map.of("source", "rabbit", "ordering", "key")));
    }

    private static Map<String, Object> queues(String settings) {
        return part(settings, "queues");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> part(String settings, String name) {
        Map<String, Map<String, Object>> all = new Yaml().load(settings);
        return (Map<String, Object>) all.get("tandem").get(name);
    }
}
