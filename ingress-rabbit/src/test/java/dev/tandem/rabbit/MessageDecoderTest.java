package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.LongStringHelper;
import dev.tandem.task.Delivery;
import dev.tandem.task.Task;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessageDecoderTest {

    private static final long SECOND = 1_790_000_000_000L;
    private static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);

    private static final RabbitSettings SETTINGS = RabbitSettings.of("amqp://localhost", "mail");

    private final InstantSource clock = InstantSource.fixed(Instant.ofEpochMilli(SECOND + 400));
    private final MessageDecoder codec = new MessageDecoder(SETTINGS, clock);

    @Test
    void aBareMessageIsATaskDueNow() {
        Delivery delivery = codec.delivery(7, "mail", false, new BasicProperties(), BODY);

        assertThat(delivery.sequence()).isEqualTo(7);
        assertThat(delivery.redelivered()).isFalse();
        assertThat(delivery.unreadable()).isNull();
        assertThat(delivery.task())
                .usingRecursiveComparison()
                .isEqualTo(new Task(null, "mail", null, null, BODY, Map.of(), 0, 0, 0, 0, null));
    }

    @Test
    void propertiesAndHeadersFillTheTask() {
        BasicProperties properties = new BasicProperties.Builder()
                .messageId("m-1")
                .type("welcome")
                .contentType("application/json")
                .contentEncoding("gzip")
                .correlationId("c-1")
                .headers(Map.of("tandem-key", text("customer-7"), "X-Mine", text("é")))
                .build();

        Task task = task(properties);

        assertThat(task.id()).isEqualTo("m-1");
        assertThat(task.type()).isEqualTo("welcome");
        assertThat(task.key()).isEqualTo("customer-7");
        assertThat(task.headers())
                .containsOnly(
                        Map.entry("content-type", "application/json"),
                        Map.entry("content-encoding", "gzip"),
                        Map.entry("correlation-id", "c-1"),
                        Map.entry("X-Mine", "é"));
    }

    @Test
    void thePriorityOfAMessageIsThatOfItsTaskUnlessAHeaderSaysOtherwise() {
        assertThat(task(new BasicProperties.Builder().priority(4).build()).headers())
                .containsOnly(Map.entry("tandem-priority", "4"));
        assertThat(task(new BasicProperties.Builder().priority(200).build()).headers())
                .containsOnly(Map.entry("tandem-priority", "9"));
        assertThat(task(new BasicProperties.Builder()
                                .priority(4)
                                .headers(Map.of("tandem-priority", text("2")))
                                .build())
                        .headers())
                .containsOnly(Map.entry("tandem-priority", "2"));
    }

    @Test
    void otherHeaderValuesBecomeText() {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("tandem-timeout", 30_000);
        headers.put("tandem-max-attempts", 3L);
        headers.put("tandem-not-before", new Date(SECOND + 60_000));
        headers.put("flag", true);
        headers.put("price", new BigDecimal("9.90"));
        headers.put("nothing", null);
        headers.put("list", List.of(1, text("a"), Map.of("k", text("v"))));

        Task task = task(new BasicProperties.Builder().headers(headers).build());

        assertThat(task.timeoutMillis()).isEqualTo(30_000);
        assertThat(task.maxAttempts()).isEqualTo(3);
        assertThat(task.notBefore()).isEqualTo(SECOND + 60_000);
        assertThat(task.headers())
                .containsOnly(
                        Map.entry("flag", "true"),
                        Map.entry("price", "9.90"),
                        Map.entry("nothing", ""),
                        Map.entry("list", "[1, a, {k=v}]"));
    }

    @Test
    void readsCloudEventsInBothSpellings() {
        Task colon = task(headers("cloudEvents:id", text("e-1"), "cloudEvents:type", text("order.paid")));
        Task underscore = task(headers("cloudEvents_id", text("e-1"), "cloudEvents_partitionkey", text("k")));

        assertThat(colon.id()).isEqualTo("e-1");
        assertThat(colon.type()).isEqualTo("order.paid");
        assertThat(underscore.id()).isEqualTo("e-1");
        assertThat(underscore.key()).isEqualTo("k");
    }

    @Test
    void theRoutingKeyIsTheKeyOnlyIfConfigured() {
        MessageDecoder byRoutingKey = new MessageDecoder(SETTINGS.orderedByRoutingKey("mail.#"), clock);

        assertThat(codec.delivery(1, "mail.7", false, new BasicProperties(), BODY)
                        .task()
                        .key())
                .isNull();
        assertThat(byRoutingKey
                        .delivery(1, "mail.7", false, new BasicProperties(), BODY)
                        .task()
                        .key())
                .isEqualTo("mail.7");
    }

    @Test
    void aDelayDoesNotEndTooEarlyAlthoughTimestampsAreWholeSeconds() {
        Map<String, Object> delay = Map.of("tandem-delay", text("1000"));

        Task fresh = task(new BasicProperties.Builder()
                .timestamp(new Date(SECOND))
                .headers(delay)
                .build());
        Task old = task(new BasicProperties.Builder()
                .timestamp(new Date(SECOND - 60_000))
                .headers(delay)
                .build());
        Task fromAFastClock = task(new BasicProperties.Builder()
                .timestamp(new Date(SECOND + 5_000))
                .headers(delay)
                .build());

        assertThat(fresh.notBefore()).isEqualTo(SECOND + 400 + 1_000);
        assertThat(old.notBefore()).isEqualTo(SECOND - 60_000 + 999 + 1_000);
        assertThat(fromAFastClock.notBefore()).isEqualTo(SECOND + 5_000 + 1_000);
    }

    @Test
    void usesATimestampInMilliseconds() {
        Task task = task(new BasicProperties.Builder()
                .timestamp(new Date(SECOND))
                .headers(Map.of("timestamp_in_ms", SECOND + 123, "tandem-delay", text("PT1S")))
                .build());

        assertThat(task.publishedAt()).isEqualTo(SECOND + 123);
        assertThat(task.notBefore()).isEqualTo(SECOND + 1_123);
        assertThat(task.headers()).isEmpty();
    }

    @Test
    void anUnreadableMessageNamesTheHeaderAndKeepsItsContent() {
        Delivery delivery =
                codec.delivery(1, "mail", true, headers("tandem-delay", text("soon"), "X-Mine", text("1")), BODY);

        assertThat(delivery.redelivered()).isTrue();
        assertThat(delivery.unreadable()).contains("tandem-delay", "soon");
        assertThat(delivery.task().payload()).isEqualTo(BODY);
        assertThat(delivery.task().headers())
                .containsEntry("tandem-delay", "soon")
                .containsEntry("X-Mine", "1");
    }

    @Test
    void aRewrittenMessageIsUnreadableForTheReasonThatItCarries() {
        Delivery rewritten = codec.delivery(
                1, "mail", false, headers("tandem-unreadable", text("too deep\n"), "tandem-key", text("k")), BODY);

        assertThat(rewritten.unreadable()).isEqualTo("too deep?");
        assertThat(rewritten.task().key()).isEqualTo("k");
        assertThat(rewritten.task().headers()).containsOnlyKeys("tandem-key");
        for (Object forged : List.of(text(" "), new byte[0], Map.of(), 7)) {
            assertThat(codec.delivery(1, "mail", false, headers("tandem-unreadable", forged), BODY)
                            .unreadable())
                    .isNotBlank();
        }
    }

    @Test
    void aHugeHeaderIsTruncatedAndUnreadable() {
        Object nested = text("x".repeat(1_000));
        for (int i = 0; i < 5; i++) {
            nested = List.of(nested, nested, nested, nested, nested, nested, nested, nested);
        }

        Delivery delivery = codec.delivery(1, "mail", false, headers("deep", nested), BODY);

        assertThat(delivery.unreadable()).contains("the headers have");
        assertThat(delivery.task().headers().get("deep").length()).isLessThan(70_000);
    }

    @Test
    void ignoresTheBrokersDeliveryCounts() {
        Delivery first = codec.delivery(1, "mail", false, headers("X-Mine", text("1")), BODY);
        Delivery again = codec.delivery(9, "mail", true, headers("X-Mine", text("1"), "x-delivery-count", 1L), BODY);

        assertThat(again.identity()).isEqualTo(first.identity()).startsWith("c");
        assertThat(again.task().headers()).containsOnlyKeys("X-Mine");
    }

    @Test
    void identitiesTellNamedMessagesFromOthers() {
        BasicProperties named = new BasicProperties.Builder().messageId("m-1").build();
        String identity = codec.delivery(1, "mail", false, named, BODY).identity();

        assertThat(identity).startsWith("m").hasSize(13);
        assertThat(codec.delivery(2, "mail", false, named, new byte[0]).identity())
                .isNotEqualTo(identity);
        assertThat(codec.delivery(3, "mail", false, new BasicProperties(), BODY).identity())
                .startsWith("c")
                .hasSize(13);
    }

    @Test
    void withoutAMessageIdTheContentIsTheIdentity() {
        String identity = identity(headers("a", text("1"), "b", 2), BODY);

        assertThat(identity(headers("b", 2, "a", text("1")), BODY)).isEqualTo(identity);
        assertThat(identity(headers("a", text("1"), "b", 3), BODY)).isNotEqualTo(identity);
        assertThat(identity(headers("a", text("1"), "b", 2), new byte[] {1})).isNotEqualTo(identity);
        assertThat(identity(headers("a", text("1b"), "", 2), BODY)).isNotEqualTo(identity);
    }

    private String identity(BasicProperties properties, byte[] body) {
        return codec.delivery(1, "mail", false, properties, body).identity();
    }

    private Task task(BasicProperties properties) {
        Delivery delivery = codec.delivery(1, "mail", false, properties, BODY);
        assertThat(delivery.unreadable()).isNull();
        return delivery.task();
    }

    private static BasicProperties headers(String name, Object value) {
        return new BasicProperties.Builder().headers(Map.of(name, value)).build();
    }

    private static BasicProperties headers(String name, Object value, String other, Object otherValue) {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put(name, value);
        headers.put(other, otherValue);
        return new BasicProperties.Builder().headers(headers).build();
    }

    private static Object text(String text) {
        return LongStringHelper.asLongString(text);
    }
}
