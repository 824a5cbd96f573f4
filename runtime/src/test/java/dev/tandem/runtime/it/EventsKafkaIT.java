package dev.tandem.runtime.it;

import dev.tandem.testkit.Brokers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

class EventsKafkaIT extends EventsSuite {

    private Thread listening;
    private volatile boolean stopped;

    @Override
    Map.Entry<String, String> broker() {
        return Map.entry("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
    }

    @Override
    String source() {
        return "kafka";
    }

    @Override
    void createQueue() {
        Brokers.kafka().createTopic(queue, 2);
    }

    @Override
    void listen() {
        listening = new Thread(this::poll, "listener");
        listening.start();
    }

    private void poll() {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                Brokers.kafka().bootstrapServers(),
                "group.id",
                "events of " + queue,
                "auto.offset.reset",
                "earliest",
                "metadata.max.age.ms",
                "500",
                "allow.auto.create.topics",
                "false");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("tandem-events." + queue));
            while (!stopped) {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(100))) {
                    Map<String, String> attributes = new HashMap<>();
                    for (Header header : each.headers()) {
                        attributes.put(
                                header.key().replaceFirst("^ce_", ""),
                                new String(header.value(), StandardCharsets.UTF_8));
                    }
                    told.add(new Told(attributes, each.value()));
                }
            }
        }
    }

    @Override
    void stopListening() {
        stopped = true;
        try {
            listening.join(60_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
