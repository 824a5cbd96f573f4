package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever bytes a publisher sends as properties: the client can read what it is given. */
class HeaderFrameTest {

    private static final long SEED = Long.getLong("fuzz.seed", 1);
    private static final int ROUNDS = 20_000;

    @Test
    void propertiesThatTheClientCanReadAreNotTouched() throws IOException {
        byte[] payload = payload(everything().build());

        assertThat(HeaderFrame.readable(payload)).isSameAs(payload);
        byte[] none = payload(new BasicProperties());
        assertThat(HeaderFrame.readable(none)).isSameAs(none);
    }

    @Test
    void aHeaderMayNestAsDeepAsTheClientReads() throws IOException {
        for (Object value : List.of(tables(HeaderFrame.MAX_NESTING), lists(HeaderFrame.MAX_NESTING))) {
            byte[] payload = payload(headers(value));

            assertThat(HeaderFrame.readable(payload)).isSameAs(payload);
            assertThat(parsed(payload).getHeaders()).containsKey("deep");
        }
    }

    @Test
    void aHeaderThatNestsDeeperBecomesItsBytesAndTheOthersStay() throws IOException {
        for (Object value :
                List.of(tables(HeaderFrame.MAX_NESTING + 1), lists(HeaderFrame.MAX_NESTING + 1), tables(900))) {
            BasicProperties read = parsed(HeaderFrame.readable(
                    payload(everything().headers(headersWith(value)).build())));

            assertThat(read.getMessageId()).isEqualTo("id");
            assertThat(read.getAppId()).isEqualTo("app");
            assertThat(read.getHeaders()).containsOnlyKeys(HeaderFrame.REASON, "tandem-key", "deep", "number");
            assertThat(text(read, HeaderFrame.REASON)).contains("deeper than 32 levels");
            assertThat(text(read, "tandem-key")).isEqualTo("customer-7");
            assertThat(read.getHeaders().get("number")).isEqualTo(7);
            assertThat((byte[]) read.getHeaders().get("deep")).startsWith(value instanceof List ? 'A' : 'F');
        }
    }

    @Test
    void rewritingIsTheSameEachTimeAndNotRepeated() throws IOException {
        byte[] payload = payload(headers(tables(40)));

        byte[] once = HeaderFrame.readable(payload);

        assertThat(HeaderFrame.readable(payload)).isEqualTo(once);
        assertThat(HeaderFrame.readable(once)).isSameAs(once);
    }

    @Test
    void propertiesThatCannotBeToldApartAreKeptAsBytes() throws IOException {
        byte[] payload = payload(headers(7));
        payload[payload.length - 5] = '?';

        BasicProperties read = parsed(HeaderFrame.readable(payload));

        assertThat(text(read, HeaderFrame.REASON)).contains("unknown type");
        byte[] raw = (byte[]) read.getHeaders().get(HeaderFrame.RAW_PROPERTIES);
        assertThat(raw).isEqualTo(Arrays.copyOfRange(payload, 12, payload.length));
    }

    @Test
    void theClientReadsWhateverIsLeftOfRandomProperties() throws IOException {
        System.out.println("fuzz.seed=" + SEED);
        Random random = new Random(SEED);
        List<byte[]> corpus = new ArrayList<>();
        corpus.add(payload(everything().build()));
        corpus.add(payload(headers(tables(33))));
        corpus.add(payload(headers(lists(40))));
        corpus.add(payload(everything().headers(headersWith(tables(3))).build()));
        int rewritten = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] payload = mutated(corpus.get(random.nextInt(corpus.size())), random);
            byte[] readable = HeaderFrame.readable(payload);
            rewritten += readable == payload ? 0 : 1;
            assertThat(parsed(readable)).as("seed %d, round %d", SEED, round).isNotNull();
            assertThat(readable).as("class and body size").startsWith(Arrays.copyOf(payload, 12));
        }
        assertThat(rewritten).isBetween(ROUNDS / 10, ROUNDS - 1);
    }

    /** Changes the bytes behind class, weight and body size, which the broker writes itself. */
    private static byte[] mutated(byte[] payload, Random random) {
        int length = random.nextInt(4) == 0 ? 14 + random.nextInt(payload.length - 13) : payload.length;
        byte[] mutated = new byte[length];
        System.arraycopy(payload, 0, mutated, 0, length);
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            mutated[12 + random.nextInt(length - 12)] =
                    (byte) (random.nextBoolean() ? random.nextInt(256) : "FASxtlIV".charAt(random.nextInt(8)));
        }
        return mutated;
    }

    private static String text(BasicProperties read, String header) {
        return ((LongString) read.getHeaders().get(header)).toString();
    }

    private static BasicProperties.Builder everything() {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("text", "é");
        headers.put("number", 1);
        headers.put("long", 1L);
        headers.put("short", (short) 1);
        headers.put("byte", (byte) 1);
        headers.put("double", 1.0);
        headers.put("float", 1.0f);
        headers.put("decimal", new BigDecimal("9.90"));
        headers.put("flag", true);
        headers.put("nothing", null);
        headers.put("bytes", new byte[] {1, 2});
        headers.put("time", new Date(1_790_000_000_000L));
        headers.put("list", List.of(1, "a", Map.of("k", List.of())));
        headers.put("empty", Map.of());
        return new BasicProperties.Builder()
                .contentType("text/plain")
                .contentEncoding("gzip")
                .headers(headers)
                .deliveryMode(2)
                .priority(1)
                .correlationId("c")
                .replyTo("r")
                .expiration("60000")
                .messageId("id")
                .timestamp(new Date(1_790_000_000_000L))
                .type("type")
                .userId("guest")
                .appId("app")
                .clusterId("cluster");
    }

    private static BasicProperties headers(Object deep) {
        return new BasicProperties.Builder().headers(Map.of("deep", deep)).build();
    }

    private static Map<String, Object> headersWith(Object deep) {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("tandem-key", "customer-7");
        headers.put("deep", deep);
        headers.put("number", 7);
        return headers;
    }

    /** Returns tables in each other. */
    static Object tables(int levels) {
        Object value = "x";
        for (int i = 0; i < levels; i++) {
            value = Map.of("t", value);
        }
        return value;
    }

    private static Object lists(int levels) {
        Object value = "x";
        for (int i = 0; i < levels; i++) {
            value = List.of(value);
        }
        return value;
    }

    private static byte[] payload(BasicProperties properties) throws IOException {
        return properties.toFrame(1, 5).getPayload();
    }

    /** Parses the payload as the client does. */
    private static BasicProperties parsed(byte[] payload) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(payload));
        assertThat(in.readShort()).isEqualTo((short) 60);
        return new BasicProperties(in);
    }
}
