package dev.tandem.task;

import static dev.tandem.task.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.TaskHeaders.Read;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskHeadersTest {

    private static final long SENT = 1_790_000_000_000L;
    private static final long ARRIVED = SENT + 5_000;

    private final TaskHeaders kafka = new TaskHeaders("orders", Binding.KAFKA, 100);
    private final TaskHeaders amqp = new TaskHeaders("orders", Binding.AMQP, 100);

    @Test
    void aPlainMessageIsATaskDueNow() {
        Read read = kafka.read(List.of(), origin("k1"), bytes("{}"));

        assertThat(read.unreadable()).isNull();
        assertThat(read.task())
                .usingRecursiveComparison()
                .isEqualTo(new Task(null, "orders", null, "k1", bytes("{}"), Map.of(), SENT, 0, 0, 0, null));
    }

    @Test
    void everyTaskHeaderFillsItsFieldAndIsNotKeptTwice() {
        Task task = read(
                Field.of("tandem-id", "o-1"),
                Field.of("tandem-type", "order.paid"),
                Field.of("tandem-key", "customer-7"),
                Field.of("tandem-not-before", "1790000100000"),
                Field.of("tandem-timeout", "PT1M"),
                Field.of("tandem-max-attempts", "3"),
                Field.of("tandem-dedup-key", "pay-1"),
                Field.of("tandem-depends-on", "a,b"),
                Field.of("traceparent", "00-1-2-01"),
                Field.of("X-Mine", "é"));

        assertThat(task)
                .usingRecursiveComparison()
                .isEqualTo(new Task(
                        "o-1",
                        "orders",
                        "order.paid",
                        "customer-7",
                        bytes("body"),
                        Map.of("tandem-depends-on", "a,b", "traceparent", "00-1-2-01", "X-Mine", "é"),
                        SENT,
                        1_790_000_100_000L,
                        60_000,
                        3,
                        "pay-1"));
    }

    @ParameterizedTest
    @CsvSource({
        "30000, 30000",
        "+30000, 30000",
        "' 30000 ', 30000",
        "PT30S, 30000",
        "30s, 30000",
        "1500MS, 1500",
        "5m, 300000",
        "2h, 7200000",
        "14d, 1209600000",
        "-5s, -1",
        "pt0.5s, 500",
        "P2D, 172800000",
        "0, -1",
        "PT0S, -1",
        "-5, -1",
        "-PT5S, -1",
    })
    void aDelayCountsFromThePublishersTime(String value, long after) {
        assertThat(read(Field.of("tandem-delay", value)).notBefore()).isEqualTo(after < 0 ? 0 : SENT + after);
    }

    @Test
    void withoutAPublishersTimeADelayCountsFromArrival() {
        Origin origin = new Origin(null, null, null, null, -1, ARRIVED);

        Task task = kafka.read(List.of(Field.of("tandem-delay", "1000")), origin, null)
                .task();

        assertThat(task.notBefore()).isEqualTo(ARRIVED + 1000);
        assertThat(task.publishedAt()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "1790000100000, 1790000100000",
        "0, 0",
        "-7, 0",
        "1969-12-31T00:00:00Z, 0",
        "2026-09-21T14:15:00Z, 1790000100000",
        "2026-09-21t14:15:00z, 1790000100000",
        "2026-09-21T16:15:00+02:00, 1790000100000",
        "2026-09-21T16:15:00+0200, 1790000100000",
        "2026-09-21T16:15:00.000+02, 1790000100000",
        "2026-09-21T14:15Z, 1790000100000",
        "9999-12-31T23:59:59.999Z, 253402300799999",
    })
    void anEarliestStartIsMillisecondsOrIso8601(String value, long expected) {
        assertThat(read(Field.of("tandem-not-before", value)).notBefore()).isEqualTo(expected);
    }

    @Test
    void theLaterOfEarliestStartAndDelayCounts() {
        Field early = Field.of("tandem-not-before", Long.toString(SENT + 10));
        Field late = Field.of("tandem-not-before", Long.toString(SENT + 10_000));
        Field delay = Field.of("tandem-delay", "500");

        assertThat(read(early, delay).notBefore()).isEqualTo(SENT + 500);
        assertThat(read(delay, late).notBefore()).isEqualTo(SENT + 10_000);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tandem-delay        | abc                  | use milliseconds or a duration such as 30s or PT30S",
                "tandem-delay        | ''                   | use milliseconds",
                "tandem-delay        | 1.5                  | use milliseconds",
                "tandem-delay        | 30sec                | use milliseconds",
                "tandem-delay        | 1h30m                | use milliseconds",
                "tandem-delay        | s                    | use milliseconds",
                "tandem-delay        | 9999999999999999d    | use milliseconds",
                "tandem-delay        | P1M                  | use milliseconds",
                "tandem-delay        | 999999999999999      | no more than reaches the year 9999",
                "tandem-delay        | 99999999999999999999 | use milliseconds",
                "tandem-delay        | P106751991167301D    | use milliseconds",
                "tandem-delay        | 253402300799999      | beyond the year 9999",
                "tandem-not-before   | tomorrow             | use epoch milliseconds or ISO-8601 with an offset",
                "tandem-not-before   | 2026-09-21T16:15:00  | use epoch milliseconds or ISO-8601 with an offset",
                "tandem-not-before   | +10000-01-01T00:00Z  | up to the year 9999",
                "tandem-not-before   | 253402300800000      | up to the year 9999",
                "tandem-timeout      | 0                    | above zero",
                "tandem-timeout      | -1                   | above zero",
                "tandem-timeout      | P367D                | up to 366d",
                "tandem-max-attempts | 0                    | use a whole number from 1 to 1000000",
                "tandem-max-attempts | -1                   | use a whole number",
                "tandem-max-attempts | 2147483648           | use a whole number",
                "tandem-max-attempts | three                | use a whole number",
            })
    void anInvalidValueIsReportedWithItsHeaderAndARemedy(String name, String value, String remedy) {
        Read read = kafka.read(List.of(Field.of("x", "y"), Field.of(name, value)), origin("k"), bytes("body"));

        assertThat(read.unreadable())
                .startsWith("header '" + name + "' has the value '" + value + "'")
                .contains(remedy);
        assertThat(read.task().headers()).containsEntry(name, value).containsEntry("x", "y");
        assertThat(read.task().payload()).asString().isEqualTo("body");
        assertThat(read.task().key()).isEqualTo("k");
        assertThat(read.task().notBefore()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tandem-id", "tandem-type", "tandem-dedup-key", "ce_id", "ce_type"})
    void idsAndTypesMustBeShortUtf8WithoutControlCharacters(String name) {
        for (byte[] value : List.of(new byte[] {(byte) 0xc3, 0x28}, bytes("a\r\nb"), new byte[3_000])) {
            Read read = kafka.read(List.of(new Field(name, value)), origin("k"), bytes("body"));
            assertThat(read.unreadable()).startsWith("header '" + name + "' has the value '");
            assertThat(read.unreadable().length()).isLessThan(250);
            assertThat(read.unreadable().chars()).noneMatch(Character::isISOControl);
        }
    }

    @Test
    void cloudEventsAttributesAreReadInAllSpellingsAndKept() {
        for (Map.Entry<String, TaskHeaders> each :
                Map.of("ce_", kafka, "cloudEvents:", amqp, "cloudEvents_", amqp).entrySet()) {
            String prefix = each.getKey();
            List<Field> fields = List.of(
                    Field.of(prefix + "id", "e-1"),
                    Field.of(prefix + "type", "com.example.paid"),
                    Field.of(prefix + "partitionkey", "p"),
                    Field.of(prefix + "source", "/shop"));
            Task task = each.getValue().read(fields, origin("k"), bytes("body")).task();
            assertThat(List.of(task.id(), task.type(), task.key())).containsExactly("e-1", "com.example.paid", "p");
            assertThat(task.headers()).hasSize(4).containsEntry(prefix + "source", "/shop");
        }
    }

    @Test
    void tandemHeadersPrecedeCloudEventsWhichPrecedeTheBroker() {
        Origin origin = new Origin(bytes("routing"), "message-id", "amqp-type", "text/plain", SENT, ARRIVED);
        Field own = Field.of("tandem-id", "own");
        Field event = Field.of("cloudEvents:id", "event");

        assertThat(amqp.read(List.of(event, own), origin, null).task().id()).isEqualTo("own");
        assertThat(amqp.read(List.of(event), origin, null).task().id()).isEqualTo("event");
        Task plain = amqp.read(List.of(), origin, null).task();
        assertThat(plain.id()).isEqualTo("message-id");
        assertThat(plain.type()).isEqualTo("amqp-type");
        assertThat(plain.key()).isEqualTo("routing");
        assertThat(plain.headers()).containsExactly(Map.entry("content-type", "text/plain"));
    }

    @Test
    void anEmptyOrMissingKeyMeansNoOrder() {
        assertThat(kafka.read(List.of(), origin(null), null).task().key()).isNull();
        assertThat(kafka.read(List.of(), origin(""), null).task().key()).isNull();
        assertThat(read(Field.of("tandem-key", "")).key()).isNull();
        assertThat(read(new Field("tandem-key", null)).key()).isNull();
        assertThat(read(Field.of("tandem-id", ""), Field.of("tandem-type", "")).id())
                .isNull();
    }

    @Test
    void differentBinaryKeysStayDifferent() {
        Set<String> seen = new HashSet<>();
        for (int a = 0; a < 256; a++) {
            for (int b = 0; b < 256; b++) {
                byte[] key = {(byte) a, (byte) b};
                seen.add(kafka.read(List.of(), new Origin(key, null, null, null, SENT, ARRIVED), null)
                        .task()
                        .key());
            }
        }
        assertThat(seen).hasSize(65_536).contains("0x0001", "0xff80", "ab");
    }

    @Test
    void binaryHeadersAreKeptByteForByte() {
        byte[] binary = {(byte) 0xff, 0, (byte) 0x80, 'a'};
        Task task = read(new Field("trace-bin", binary), new Field("nothing", null));

        assertThat(task.headers()).containsOnlyKeys("trace-bin;latin1", "nothing");
        assertThat(task.headers().get("trace-bin;latin1").getBytes(StandardCharsets.ISO_8859_1))
                .isEqualTo(binary);
    }

    @Test
    void theLastOfRepeatedHeadersCountsAndAllAreKept() {
        Task task = read(
                Field.of("x", "1"),
                Field.of("tandem-id", "first"),
                Field.of("x", "2"),
                Field.of("tandem-id", "last"),
                Field.of("x", "3"));

        assertThat(task.id()).isEqualTo("last");
        assertThat(task.headers()).isEqualTo(Map.of("x", "3", "x#1", "1", "x#2", "2"));
    }

    @Test
    void anOversizedMessageIsUnreadableButKeptWhole() {
        Read payload = kafka.read(List.of(), origin("k"), new byte[101]);
        assertThat(payload.unreadable()).contains("101 bytes", "limit of 100 bytes", "tandem.max-payload");
        assertThat(payload.task().payload()).hasSize(101);

        Read key = kafka.read(List.of(), origin("k".repeat(1025)), null);
        assertThat(key.unreadable()).contains("the message's key has 1025 bytes", "1024");
        assertThat(key.task().key()).isNull();
        assertThat(key.task().headers().get("tandem-broker-key")).hasSize(1025);

        List<Field> many = new ArrayList<>();
        for (int i = 0; i < 257; i++) {
            many.add(Field.of("h" + i, "v"));
        }
        Read count = kafka.read(many, origin("k"), null);
        assertThat(count.unreadable()).contains("257 headers", "256");
        assertThat(count.task().headers()).hasSize(257);

        Read bytes = kafka.read(List.of(new Field("big", new byte[70_000])), origin("k"), null);
        assertThat(bytes.unreadable()).contains("70003 bytes", "65536");
        assertThat(bytes.task().headers().get("big")).hasSize(70_000);
    }

    @Test
    void anOverriddenBrokerKeyIsKeptWhenTheMessageIsUnreadable() {
        Read read = kafka.read(
                List.of(Field.of("tandem-key", "mine"), Field.of("tandem-delay", "x")), origin("theirs"), null);

        assertThat(read.task().key()).isEqualTo("mine");
        assertThat(read.task().headers()).containsEntry("tandem-broker-key", "theirs");
    }

    @Test
    void aWrittenTaskIsReadBackUnchanged() {
        Map<String, String> headers = new HashMap<>(Map.of("a", "é", "b;latin1", "\u00ff\u0000"));
        Task task = new Task("i", "orders", "t", "k", bytes("body"), headers, SENT, SENT + 5, 7, 3, "d");
        List<Field> fields = new ArrayList<>();

        TaskHeaders.write(task, (name, value) -> fields.add(new Field(name, value)));

        Read read = kafka.read(fields, origin("k"), bytes("body"));
        assertThat(read.unreadable()).isNull();
        assertThat(read.task()).usingRecursiveComparison().isEqualTo(task);
    }

    @Test
    void anyBytesAreReadWithoutAnExceptionAndWithoutLoss() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> names = List.of(
                "tandem-id",
                "tandem-type",
                "tandem-key",
                "tandem-not-before",
                "tandem-delay",
                "tandem-timeout",
                "tandem-max-attempts",
                "tandem-dedup-key",
                "ce_id",
                "ce_partitionkey",
                "cloudEvents:type",
                "x",
                "x#1",
                "");
        for (int i = 0; i < 3_000; i++) {
            List<Field> fields = new ArrayList<>();
            for (int n = random.nextInt(6); n > 0; n--) {
                fields.add(new Field(names.get(random.nextInt(names.size())), anyValue(random)));
            }
            byte[] payload = new byte[random.nextInt(120)];
            Origin origin = new Origin(
                    anyValue(random),
                    random.nextBoolean() ? null : "m",
                    null,
                    random.nextBoolean() ? null : "text/plain",
                    random.nextLong(),
                    ARRIVED);
            Read read = (random.nextBoolean() ? kafka : amqp).read(fields, origin, payload);

            assertThat(read.task().payload()).as("seed %d", seed).isSameAs(payload);
            assertThat(read.task().notBefore()).as("seed %d", seed).isBetween(0L, 253_402_300_799_999L);
            byte[] envelope = Envelope.of(read.task()).encode();
            assertThat(Envelope.decode("orders", envelope).encode())
                    .as("seed %d", seed)
                    .isEqualTo(envelope);
            if (read.unreadable() != null) {
                long contentType = read.task().headers().keySet().stream()
                        .filter("content-type"::equals)
                        .count();
                long brokerKey = read.task().headers().keySet().stream()
                        .filter(name -> name.startsWith("tandem-broker-key"))
                        .count();
                assertThat(read.task().headers().size() - contentType - brokerKey)
                        .as("seed %d", seed)
                        .isEqualTo(fields.size());
            }
        }
    }

    @Test
    void aPayloadLimitOfZeroIsRefused() {
        assertThatThrownBy(() -> new TaskHeaders("q", Binding.KAFKA, 0)).hasMessageContaining("max-payload is 0");
    }

    private static byte[] anyValue(Random random) {
        return switch (random.nextInt(7)) {
            case 0 -> null;
            case 1 -> {
                byte[] value = new byte[random.nextInt(40)];
                random.nextBytes(value);
                yield value;
            }
            case 2 -> bytes(Long.toString(random.nextLong() >> random.nextInt(64)));
            case 3 -> bytes("PT" + random.nextInt() + "S");
            case 4 -> bytes(Instant.ofEpochSecond(random.nextInt()).toString());
            case 5 -> new byte[random.nextInt(2_000)];
            default -> bytes("text" + random.nextInt(5));
        };
    }

    private Task read(Field... fields) {
        Read read = kafka.read(List.of(fields), origin("k"), bytes("body"));
        assertThat(read.unreadable()).isNull();
        return read.task();
    }

    private static Origin origin(String key) {
        return new Origin(key == null ? null : bytes(key), null, null, null, SENT, ARRIVED);
    }
}
