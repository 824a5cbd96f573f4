package dev.tandem.server;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Random messages, and the ones that were bad once. The same seed gives the same messages. */
final class FuzzMessages {

    /** Longer payloads are unreadable. */
    static final int MAX_PAYLOAD = 16 << 10;

    private static final int MAX_SHORT = 255;
    private static final int LARGEST_TABLE = 60_000;

    /** Names that mean something to Tandem, to CloudEvents or to a broker. */
    private static final List<String> NAMES = List.of(
            "tandem-id",
            "tandem-type",
            "tandem-key",
            "tandem-not-before",
            "tandem-delay",
            "tandem-timeout",
            "tandem-max-attempts",
            "tandem-dedup-key",
            "tandem-depends-on",
            "tandem-depends-policy",
            "tandem-depends-timeout",
            "tandem-broker-key",
            "tandem-more-headers",
            "tandem-unreadable",
            "tandem-raw-properties",
            "content-type",
            "traceparent",
            "ce_id",
            "ce_type",
            "ce_partitionkey",
            "cloudEvents:id",
            "cloudEvents_type",
            "timestamp_in_ms",
            "x-delivery-count",
            "x;latin1",
            "x#1",
            "x",
            "");

    private static final List<String> TEXTS = List.of(
            "",
            "0",
            "-1",
            "1",
            "1500",
            "9223372036854775807",
            "99999999999999999999",
            "PT0.01S",
            "PT1H",
            "-PT1H",
            "P999999999D",
            "2030-01-31T08:00:00Z",
            "+1000000000-12-31T23:59:59Z",
            "noop",
            "log",
            "http",
            "*",
            "k",
            "order/7",
            "a\nb",
            "a\r\nforged: line",
            "\u0000",
            "\u2028",
            "\u202e",
            "é".repeat(300),
            "😀",
            "x".repeat(2_000),
            "tandem:{other}:tasks",
            "${jndi:ldap://x}",
            "{\"a\":1}",
            "@0/1:1");

    /** Bodies of messages whose content type says that they are CloudEvents. The first one is. */
    private static final List<String> EVENTS = List.of(
            "{\"specversion\": \"1.0\", \"type\": \"noop\", \"data\": {\"a\": 1}}",
            "",
            "{",
            "[]",
            "{\"type\": \"noop\"}",
            "{\"specversion\": \"1.0\", \"type\": {}}",
            "{\"specversion\": \"1.0\", \"type\": \"noop\", \"data_base64\": \"%\"}",
            "{\"specversion\": \"1.0\", \"data\": " + "[".repeat(5_000) + "]".repeat(5_000) + "}");

    private static final String EVENT_TYPE = "application/cloudevents+json";

    private final Random random;

    FuzzMessages(long seed) {
        random = new Random(seed);
    }

    // ---- Kafka

    List<ProducerRecord<byte[], byte[]>> knownBadRecords(String topic) {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (String name : List.of("x", "tandem-id", "tandem-delay", "ce_type", "x#1")) {
            ProducerRecord<byte[], byte[]> record = record(topic, bytes("k"), bytes("{}"));
            for (int i = 0; i < 60_000; i++) {
                record.headers().add(new RecordHeader(name, new byte[] {(byte) ('0' + i % 10)}));
            }
            records.add(record);
        }
        records.add(record(topic, null, null));
        records.add(record(topic, new byte[1_025], bytes("x")));
        records.add(record(topic, new byte[] {-1, 0}, new byte[MAX_PAYLOAD + 1]));
        records.add(record(topic, bytes("k"), bytes("[".repeat(500) + "]".repeat(500))));
        for (String type : List.of("noop", "log", "a\nb")) {
            records.add(with(record(topic, bytes("k"), bytes("{}")), "tandem-type", bytes(type)));
        }
        records.add(with(record(topic, bytes("k"), bytes("{}")), "tandem-timeout", bytes("P366D")));
        records.add(with(record(topic, bytes("k"), bytes("{}")), "tandem-max-attempts", bytes("1000000")));
        records.add(with(record(topic, bytes("k"), bytes("{}")), "é".repeat(40_000), new byte[0]));
        EVENTS.forEach(
                event -> records.add(with(record(topic, bytes("k"), bytes(event)), "content-type", bytes(EVENT_TYPE))));
        return records;
    }

    ProducerRecord<byte[], byte[]> record(String topic) {
        ProducerRecord<byte[], byte[]> record = record(topic, chance(4) ? null : value(), payload());
        for (int i = headerCount(); i > 0; i--) {
            record.headers().add(new RecordHeader(name(), chance(20) ? null : value()));
        }
        return record;
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, byte[] key, byte[] payload) {
        return new ProducerRecord<>(topic, null, key, payload);
    }

    private static ProducerRecord<byte[], byte[]> with(
            ProducerRecord<byte[], byte[]> record, String name, byte[] value) {
        record.headers().add(new RecordHeader(name, value));
        return record;
    }

    // ---- AMQP

    /** A message for a queue whose sub-queue or consumer does not matter. */
    record Message(BasicProperties properties, byte[] body) {}

    List<Message> knownBadMessages() {
        List<Message> messages = new ArrayList<>();
        for (int levels : new int[] {8, 32, 33, 34, 300}) {
            messages.add(message(headers("deep", nested(levels))));
            messages.add(message(headers("tandem-id", nested(levels))));
        }
        messages.add(message(headers("big", "x".repeat(130_000))));
        messages.add(message(headers("tandem-unreadable", "forged\nline")));
        messages.add(message(headers("tandem-key", Map.of("not", "text"))));
        messages.add(message(headers("timestamp_in_ms", Long.MAX_VALUE)));
        for (String text : List.of("a\nb", "\u0000", "noop", "log", "x".repeat(MAX_SHORT))) {
            messages.add(message(new BasicProperties.Builder().messageId(text)));
            messages.add(message(new BasicProperties.Builder().type(text)));
        }
        messages.add(message(new BasicProperties.Builder().timestamp(new Date(Long.MIN_VALUE / 1_000))));
        messages.add(new Message(new BasicProperties(), new byte[0]));
        BasicProperties event =
                new BasicProperties.Builder().contentType(EVENT_TYPE).build();
        EVENTS.forEach(body -> messages.add(new Message(event, bytes(body))));
        messages.add(new Message(new BasicProperties(), new byte[MAX_PAYLOAD + 1]));
        return messages;
    }

    Message message() {
        BasicProperties.Builder properties = new BasicProperties.Builder();
        if (!chance(5)) {
            properties.headers(table());
        }
        properties.deliveryMode(chance(3) ? null : 1 + random.nextInt(2));
        properties.contentType(chance(2) ? null : shortText());
        properties.contentEncoding(chance(2) ? null : shortText());
        properties.priority(chance(2) ? null : random.nextInt(256));
        properties.correlationId(chance(2) ? null : shortText());
        properties.replyTo(chance(2) ? null : "answers-" + random.nextInt());
        properties.messageId(chance(2) ? null : shortText());
        properties.timestamp(chance(2) ? null : new Date(random.nextLong() / 1_000));
        properties.type(chance(2) ? null : chance(2) ? "noop" : shortText());
        properties.appId(chance(2) ? null : shortText());
        byte[] body = payload();
        return new Message(properties.build(), body == null ? new byte[0] : body);
    }

    private Map<String, Object> table() {
        Map<String, Object> table = new LinkedHashMap<>();
        int bytes = 0;
        for (int i = headerCount(); i > 0 && bytes < LARGEST_TABLE; i--) {
            String name = name();
            Object value = chance(10) ? nested(random.nextInt(60)) : amqpValue();
            bytes += 2_500 + name.length();
            table.put(cut(name), value);
        }
        return table;
    }

    private Object amqpValue() {
        return switch (random.nextInt(12)) {
            case 0 -> random.nextInt();
            case 1 -> random.nextLong();
            case 2 -> random.nextDouble();
            case 3 -> random.nextBoolean();
            case 4 -> new Date(random.nextLong() / 1_000);
            case 5 -> new BigDecimal("9.90");
            case 6 -> List.of(1, "a", Map.of("k", "v"));
            case 7 -> Map.of();
            case 8 -> value();
            case 9 -> (short) random.nextInt();
            default -> text();
        };
    }

    private Object nested(int levels) {
        Object value = "x";
        for (int i = 0; i < levels; i++) {
            value = i % 3 == 0 ? List.of(value) : Map.of("t", value);
        }
        return value;
    }

    private static BasicProperties.Builder headers(String name, Object value) {
        return new BasicProperties.Builder().headers(Map.of(name, value));
    }

    private static Message message(BasicProperties.Builder properties) {
        return new Message(properties.deliveryMode(2).build(), bytes("{}"));
    }

    // ---- parts

    private int headerCount() {
        return chance(20) ? 250 + random.nextInt(300) : random.nextInt(8);
    }

    private String name() {
        return chance(3) ? text() : NAMES.get(random.nextInt(NAMES.size()));
    }

    /** Returns a text of one of the usual values, or a random one. */
    String text() {
        return chance(3)
                ? new String(randomBytes(random.nextInt(40)), StandardCharsets.UTF_8)
                : TEXTS.get(random.nextInt(TEXTS.size()));
    }

    private String shortText() {
        return cut(text());
    }

    /** Cuts a text to what AMQP's short strings hold. */
    private static String cut(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length <= MAX_SHORT ? text : text.substring(0, MAX_SHORT / 4);
    }

    /** Returns the bytes of a text, some of them changed, so that they may be no text. */
    private byte[] value() {
        byte[] bytes = bytes(text());
        for (int i = chance(3) ? 1 + random.nextInt(3) : 0; i > 0 && bytes.length > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }

    private byte[] payload() {
        return switch (random.nextInt(6)) {
            case 0 -> null;
            case 1 -> randomBytes(random.nextInt(2_000));
            case 2 -> randomBytes(MAX_PAYLOAD - 1 + random.nextInt(3));
            case 3 -> bytes("{\"at\":\"" + Instant.EPOCH + "\"}");
            default -> value();
        };
    }

    private byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Whether something happens that happens once in so many times. */
    boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
