package dev.tandem.ordering.redelivery;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.IdentityPage;
import dev.tandem.task.store.TaskIdentity;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The identities of messages: a letter for its kind and a hash. Claims, attempts and envelopes carry the identity as the
 * first part of the position.
 */
public final class Identities {

    private static final String NAMED = TaskIdentity.NAMED;

    private Identities() {}

    /** Returns the position of a message that was never delivered before, as far as is known. */
    public static Position newPosition(@Nullable String identity, String writer, long arrival) {
        return new Position((identity == null ? "" : identity) + ":" + writer + "." + Long.toString(arrival, 36));
    }

    /** Returns the identity of the message at a position, "" if it has none. */
    public static String of(Position position) {
        int colon = position.text().indexOf(':');
        return colon < 0 ? "" : position.text().substring(0, colon);
    }

    /**
     * Whether the publisher gave the message an id. Named messages with the same identity are one message that was published
     * twice. Others may be different messages with the same content.
     */
    public static boolean isNamed(Position position) {
        return position.text().startsWith(NAMED);
    }

    static boolean isNamed(String identity) {
        return identity.startsWith(NAMED);
    }

    /** Returns what a page notes of an identity. */
    static String onPage(String identity) {
        return identity.substring(1);
    }

    /** Reads what a page notes, one identity after the other. */
    static void read(IdentityPage page, Consumer<String> each) {
        byte[] bytes = page.identities();
        int length = IdentityPage.IDENTITY_BYTES;
        for (int at = 0; at + length <= bytes.length; at += length) {
            each.accept(new String(bytes, at, length, StandardCharsets.US_ASCII));
        }
    }
}
