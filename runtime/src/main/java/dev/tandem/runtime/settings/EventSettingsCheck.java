package dev.tandem.runtime.settings;

import dev.tandem.runtime.settings.QueueSettings.SourceType;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks the settings of the queues' events. */
final class EventSettingsCheck {

    private static final long LEAST_BYTES = 64 << 10;
    private static final long MOST_BYTES = 1L << 30;

    private final TandemSettings settings;
    private final SettingProblems problems;

    EventSettingsCheck(TandemSettings settings, SettingProblems problems) {
        this.settings = settings;
        this.problems = problems;
    }

    void checkAll() {
        settings.queues().forEach(this::check);
        checkTopics();
        checkExchanges();
    }

    private void check(String name, QueueSettings queue) {
        EventSettings events = queue.events();
        String prefix = QueueSettingsCheck.prefix(name) + "events.";
        problems.checkRange(prefix + "max-bytes", events.maxBytes().toBytes(), LEAST_BYTES, MOST_BYTES);
        if (events.enabled() && events.kinds().isEmpty()) {
            problems.add(prefix + "kinds", "", "name one kind or more, or leave it out; " + prefix + "enabled is true");
        }
        if (queue.source() == SourceType.KAFKA) {
            refuseForeign(prefix + "exchange", events.exchange(), "rabbit");
            String topic = events.effectiveTopic(name);
            if (!topic.matches("[A-Za-z0-9._-]{1,249}") || topic.equals(".") || topic.equals("..")) {
                problems.add(
                        prefix + "topic",
                        topic,
                        "Kafka allows 1 to 249 letters, digits, dots, underscores and hyphens");
            }
        } else if (queue.source() == SourceType.RABBIT) {
            refuseForeign(prefix + "topic", events.topic(), "kafka");
            problems.checkBytes(prefix + "exchange", events.effectiveExchange(), 200);
        }
    }

    private void refuseForeign(String setting, @Nullable String value, String source) {
        if (value != null) {
            problems.add(setting, value, "it is for queues whose source is " + source + ": leave it out");
        }
    }

    /** Events in the topic of their own queue would be tasks, whose ends are events again. */
    private void checkTopics() {
        Map<String, String> queueByTopic = new LinkedHashMap<>();
        settings.queues().forEach((name, queue) -> {
            if (queue.source() == SourceType.KAFKA) {
                queueByTopic.put(queue.effectiveTopic(name), name);
            }
        });
        settings.queues().forEach((name, queue) -> {
            String reader = queueByTopic.get(queue.events().effectiveTopic(name));
            if (queue.source() == SourceType.KAFKA && queue.events().enabled() && reader != null) {
                QueueSettings its = settings.queues().get(reader);
                if (its != null && its.events().enabled()) {
                    problems.add(
                            QueueSettingsCheck.prefix(name) + "events.topic",
                            queue.events().effectiveTopic(name),
                            "the queue " + reader + " reads this topic and has events itself, so that they would go on"
                                    + " for ever: set " + QueueSettingsCheck.prefix(reader)
                                    + "events.enabled to false");
                }
            }
        });
    }

    /** As in Kafka: a binding such as {@code #} would bring the reader its own events. */
    private void checkExchanges() {
        Map<String, String> queueByExchange = new LinkedHashMap<>();
        settings.queues().forEach((name, queue) -> {
            if (queue.source() == SourceType.RABBIT && queue.events().enabled()) {
                queueByExchange.putIfAbsent(queue.events().effectiveExchange(), name);
            }
        });
        settings.queues().forEach((name, queue) -> {
            String exchange = queue.effectiveExchange();
            if (queue.source() == SourceType.RABBIT
                    && queue.events().enabled()
                    && queueByExchange.containsKey(exchange)) {
                problems.add(
                        QueueSettingsCheck.prefix(name) + "exchange",
                        exchange,
                        "the events of the queue " + queueByExchange.get(exchange) + " go to this exchange, and " + name
                                + " has events itself, so that they could go on for ever: set "
                                + QueueSettingsCheck.prefix(name) + "events.enabled to false");
            }
        });
    }
}
