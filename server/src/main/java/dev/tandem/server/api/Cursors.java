package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The form of all cursors: the version, which list the page is of, a checksum, and the place, in Base64. A server answers with a
 * problem to any other text, so that no list goes on at the place of another one.
 */
final class Cursors {

    static final byte VERSION = 1;

    private static final int HEAD = 1 + 2 * Integer.BYTES;

    private final String list;

    private Cursors(String list) {
        this.list = list;
    }

    /** Returns those of one list. @param parts what tells it from other lists; null for a choice that is not made */
    static Cursors of(@Nullable Object... parts) {
        StringBuilder name = new StringBuilder();
        for (Object part : parts) {
            name.append(part == null ? "-" : "+" + part).append('\n');
        }
        return new Cursors(name.toString());
    }

    /** Returns what a page shows as its next. @param place null on the last page */
    @Nullable
    String next(@Nullable String place) {
        if (place == null) {
            return null;
        }
        byte[] bytes = place.getBytes(StandardCharsets.UTF_8);
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(ByteBuffer.allocate(HEAD + bytes.length)
                        .put(VERSION)
                        .putInt(checksum(list.getBytes(StandardCharsets.UTF_8)))
                        .putInt(checksum(bytes))
                        .put(bytes)
                        .array());
    }

    /**
     * Returns the place of a cursor.
     *
     * @param cursor null or empty for the first page
     * @throws ApiException if no page of this list returned it
     */
    @Nullable
    String place(@Nullable String cursor) {
        if (cursor == null || cursor.isEmpty()) {
            return null;
        }
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(cursor);
        } catch (IllegalArgumentException e) {
            throw refusal(Sentence.of("cursor.none"));
        }
        if (bytes.length > 0 && bytes[0] != VERSION) {
            throw refusal(Sentence.of("cursor.version"));
        } else if (bytes.length < HEAD) {
            throw refusal(Sentence.of("cursor.none"));
        }
        ByteBuffer read = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
        int ofList = read.getInt();
        int ofPlace = read.getInt();
        byte[] place = new byte[read.remaining()];
        read.get(place);
        if (ofPlace != checksum(place)) {
            throw refusal(Sentence.of("cursor.none"));
        } else if (ofList != checksum(list.getBytes(StandardCharsets.UTF_8))) {
            throw refusal(Sentence.of("cursor.list"));
        }
        return new String(place, StandardCharsets.UTF_8);
    }

    /** Refuses a cursor that names no place in its list. */
    static ApiException refusal(IllegalArgumentException wrong) {
        return refusal(Sentence.of("cursor.none-why", Sentence.problem(String.valueOf(wrong.getMessage()))));
    }

    private static ApiException refusal(Sentence why) {
        return ApiException.parameter(
                ProblemType.INVALID_CURSOR, "cursor", Sentence.of("problem.cursor", why), Sentence.of("remedy.cursor"));
    }

    private static int checksum(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
