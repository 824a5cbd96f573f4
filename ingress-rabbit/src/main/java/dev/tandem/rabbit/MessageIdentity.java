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
 * Computes the identity by which a redelivered message is recognised: a letter and 72 bits of a hash, as 12 characters
 * of base64url. The letter is {@code m} if the publisher gave a message id; then two messages with the same identity
 * are one message, published twice. It is {@code c} if only the content was hashed; then different messages may have
 * the same identity.
 *
 * <p>The content is always hashed, because two tasks may have the same message id by mistake. Headers that begin with
 * {@code x-} are not hashed, because brokers add and change them.
 */
final class MessageIdentity {

    private static final int BYTES = 9;
    private static final byte[] NO_BYTES = {};
    private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();
    private static final ThreadLocal<MessageDigest> DIGEST = ThreadLocal.withInitial(MessageIdentity::sha256);

    private MessageIdentity() {}

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
            // Sorted, because the client does not keep the order of the headers.
            new TreeMap<>(table).forEach((name, value) -> {
                if (!name.startsWith("x-")) {
                    add(digest, name);
                    add(digest, MessageDecoder.bytes(value));
                }
            });
        }
        digest.update(body == null ? NO_BYTES : body);
        byte[] hash = Arrays.copyOf(digest.digest(), BYTES);
        boolean named = id != null && !id.isEmpty();
        return (named ? "m" : "c") + TEXT.encodeToString(hash);
    }

    /** Whether the publisher gave the message an id. */
    static boolean isNamed(String identity) {
        return identity.startsWith("m");
    }

    private static void add(MessageDigest digest, @Nullable String text) {
        add(digest, text == null ? null : text.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds the value with its length, so that different lists of values never give the same bytes. */
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
