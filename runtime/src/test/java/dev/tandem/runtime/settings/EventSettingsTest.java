package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.settings.EventSettings.WhenFull;
import dev.tandem.task.event.EventKind;
import org.junit.jupiter.api.Test;

/** Settings of events that contradict others are refused, with the remedy. */
class EventSettingsTest extends SettingsTestBase {

    private static final String ORDERS = "tandem.queues.orders.";

    EventSettingsTest() {
        set("tandem.kafka.bootstrap-servers", "localhost:9092");
        set("tandem.rabbit.uri", "amqp://localhost");
        set(ORDERS + "source", "kafka");
        set(ORDERS + "handler", "log");
    }

    @Test
    void eventsHaveKindsAndANamedTopic() {
        set(ORDERS + "events.enabled", "true");
        set(ORDERS + "events.kinds", "dead, failed");
        set(ORDERS + "events.when-full", "wait");
        EventSettings events = load().queues().get("orders").events();
        assertThat(events.kinds()).containsExactly(EventKind.DEAD, EventKind.FAILED);
        assertThat(events.whenFull()).isEqualTo(WhenFull.WAIT);
        assertThat(events.effectiveTopic("orders")).isEqualTo("tandem-events.orders");
    }

    @Test
    void mistypedKindIsRefusedWithThoseThatThereAre() {
        set(ORDERS + "events.enabled", "true");
        set(ORDERS + "events.kinds", "suceeded");
        assertThat(problems())
                .singleElement()
                .asString()
                .contains(ORDERS + "events.kinds", "suceeded", "succeeded, dead, expired, cancelled, failed, snoozed");
    }

    @Test
    void settingsOfTheOtherBrokerAreRefused() {
        set(ORDERS + "events.exchange", "told");
        assertThat(problems())
                .singleElement()
                .asString()
                .contains(ORDERS + "events.exchange", "rabbit", "leave it out");
    }

    @Test
    void tooFewBytesAndNoKindsAreRefused() {
        set(ORDERS + "events.enabled", "true");
        set(ORDERS + "events.max-bytes", "1KB");
        set(ORDERS + "events.kinds", "");
        assertThat(problems())
                .anySatisfy(problem -> assertThat(problem).contains(ORDERS + "events.max-bytes", "1KB"))
                .anySatisfy(problem -> assertThat(problem).contains(ORDERS + "events.kinds", "name one kind"));
    }

    @Test
    void aQueueThatReadsEventsHasNoneItself() {
        set(ORDERS + "events.enabled", "true");
        set("tandem.queues.hooks.source", "kafka");
        set("tandem.queues.hooks.handler", "log");
        set("tandem.queues.hooks.topic", "tandem-events.orders");
        assertThat(load().queues()).containsKey("hooks");
        set("tandem.queues.hooks.events.enabled", "true");
        assertThat(problems())
                .singleElement()
                .asString()
                .contains(ORDERS + "events.topic", "the queue hooks reads this topic", "events.enabled to false");
    }

    @Test
    void aQueueThatReadsTheExchangeOfEventsHasNoneItself() {
        set("tandem.queues.mails.source", "rabbit");
        set("tandem.queues.mails.handler", "log");
        set("tandem.queues.mails.events.enabled", "true");
        set("tandem.queues.mail-webhooks.source", "rabbit");
        set("tandem.queues.mail-webhooks.handler", "log");
        set("tandem.queues.mail-webhooks.exchange", "tandem-events");
        set("tandem.queues.mail-webhooks.routing-key", "#");
        assertThat(load().queues()).containsKey("mail-webhooks");
        set("tandem.queues.mail-webhooks.events.enabled", "true");
        assertThat(problems())
                .singleElement()
                .asString()
                .contains("tandem.queues.mail-webhooks.exchange", "tandem-events", "events.enabled to false");
    }

    @Test
    void aQueueThatReadsTheExchangeOfItsOwnEventsIsRefused() {
        set("tandem.queues.mails.source", "rabbit");
        set("tandem.queues.mails.handler", "log");
        set("tandem.queues.mails.exchange", "mails");
        set("tandem.queues.mails.events.enabled", "true");
        assertThat(load().queues()).containsKey("mails");
        set("tandem.queues.mails.events.exchange", "mails");
        assertThat(problems()).singleElement().asString().contains("tandem.queues.mails.exchange", "for ever");
    }
}
