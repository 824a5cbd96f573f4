package dev.tandem.server.archive;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Makes texts from outside fit for PostgreSQL: without NUL and lone surrogates, which it refuses, and bounded. */
final class StoredText {

    /** Names are indexed, and PostgreSQL refuses entries of an index above 2,700 bytes. */
    static final int MAX_NAME = 256;

    static final int MAX_ERROR = 2_000;

    private static final int KEPT_NAME = 200;
    private static final int HASH_BYTES = 16;
    private static final char REPLACEMENT = '\uFFFD';

    private StoredText() {}

    /**
     * Returns a name as it is stored and searched for. A long one ends with its hash, so that it is found by the whole name and is
     * not taken for another one.
     */
    static String name(String text) {
        String clean = clean(text);
        if (clean.length() <= MAX_NAME) {
            return clean;
        }
        return cut(clean, KEPT_NAME) + "…" + hash(text);
    }

    static @Nullable String nameOrNull(@Nullable String text) {
        return text == null ? null : name(text);
    }

    /** Returns a text for people, cut. */
    static @Nullable String error(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String clean = clean(text.length() > 2 * MAX_ERROR ? text.substring(0, 2 * MAX_ERROR) : text);
        return clean.length() <= MAX_ERROR ? clean : cut(clean, MAX_ERROR) + "…";
    }

    private static String cut(String text, int length) {
        return text.substring(0, Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length);
    }

    private static String clean(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints()
                .map(point -> point == 0 || (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)
                        ? REPLACEMENT
                        : point)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_16BE));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
