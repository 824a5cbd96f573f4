package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.MessageProperties;
import dev.tandem.task.Delivery;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Messages that RabbitMQ accepts and its client cannot read: each is delivered with its reason, and ends no connection. */
class RabbitHostileMessageIT extends SourceFixture {

    @Test
    void aHeaderNestedDeeperThanTheClientReadsIsDeliveredAsUnreadable() throws Exception {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            publish(driver, 1);
            for (int levels : new int[] {32, 33, 400}) {
                publish(settings.routingKey(), headers("deep", HeaderFrameTest.tables(levels)), "" + levels);
            }
            publish(1);
            driver.untilDelivered(5);

            assertThat(driver.lost).isEmpty();
            assertThat(driver.bodies()).containsExactly("0", "32", "33", "400", "0");
            List<Delivery> all = driver.all();
            assertThat(all.get(1).unreadable()).isNull();
            for (Delivery deep : all.subList(2, 4)) {
                assertThat(deep.unreadable()).contains("deeper than 32 levels");
                assertThat(deep.task().key()).isEqualTo("customer-7");
                assertThat(deep.task().headers()).containsEntry("tandem-key", "customer-7");
                assertThat(deep.task().headers().keySet()).anyMatch(name -> name.startsWith("deep"));
            }
            driver.ackAll();
            driver.turns();
        }
        await().until(() -> waiting(settings.brokerQueue()) == 0);
    }

    /** The broker counts deliveries in a header, and does not split a header frame that thereby gets too long. */
    @Test
    void headersThatFillAFrameAreReadAtARedeliveryToo() throws Exception {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            publish(driver, 1);
            int frameMax = channel.getConnection().getFrameMax();
            Map<String, Object> headers = headers("big", "");
            int size = MessageProperties.PERSISTENT_BASIC
                    .builder()
                    .headers(headers)
                    .build()
                    .toFrame(1, 1)
                    .size();
            publish(settings.routingKey(), headers("big", "x".repeat(frameMax - size)), "full");
            channel.waitForConfirmsOrDie(60_000);
            driver.untilDelivered(2);
        }
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            driver.untilDelivered(2);

            assertThat(driver.lost).isEmpty();
            assertThat(driver.all().get(1).redelivered()).isTrue();
            assertThat(driver.all().get(1).unreadable()).contains("the headers have");
        }
    }

    private static Map<String, Object> headers(String name, Object value) {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("tandem-key", "customer-7");
        headers.put(name, value instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : value);
        return headers;
    }
}
