package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a redelivery is recognised by: 72 bits as 12 characters of base64url, behind a letter. {@code m}: the publisher
 * gave a message id, so messages that share an identity are one, published twice; {@code c}: made of the content alone,
 * so that different messages may share it.
 *
 * <p>The content is always part of it: two tasks may share an id that people gave. Headers that begin with {@code x-}
 * are not: brokers add and change them on the way.
 */
final class Identity {

    private static final int BYTES = 9;
    private static final byte[] NO_BYTES = {};
    private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();
    private static final ThreadLocal<MessageDigest> DIGEST = ThreadLocal.withInitial(Identity::sha256);

    private Identity() {}

    static String of(String routingKey, BasicProperties properties, Map<String, Object> table, byte @Nullable [] body) {
        MessageDigest digest = DIGEST.get();
        digest.reset();
        String id = properties.getMessageId();
        Date sent = properties.getTimestamp();
        add(digest, id);
        add(digest, routingKey);
        add(digest, properties.getType());
        add(digest, properties.getContentType());
        add(digest, properties.getCorrelationId());
        add(digest, sent == null ? null : Long.toString(sent.getTime()));
        if (!table.isEmpty()) {
            // The order of a table is the client's own.
            new TreeMap<>(table).forEach((name, value) -> {
                if (!name.startsWith("x-")) {
                    add(digest, name);
                    add(digest, MessageCodec.bytes(value));
                }
            });
        }
        digest.update(body == null ? NO_BYTES : body);
        byte[] hash = Arrays.copyOf(digest.digest(), BYTES);
        boolean named = id != null && !id.isEmpty();
        return (named ? "m" : "c") + TEXT.encodeToString(hash);
    }

    private static void add(MessageDigest digest, @Nullable String text) {
        add(digest, text == null ? null : text.getBytes(StandardCharsets.UTF_8));
    }

    /** With its length, so that no two lists of values give the same bytes. */
    private static void add(MessageDigest digest, byte @Nullable [] value) {
        int length = value == null ? -1 : value.length;
        digest.update((byte) (length >>> 24));
        digest.update((byte) (length >>> 16));
        digest.update((byte) (length >>> 8));
        digest.update((byte) length);
        if (value != null) {
            digest.update(value);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
