package dev.tandem.server.handlers;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Encodes text for HTTP header values, which can safely hold only printable ASCII. */
final class HeaderEncoding {

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private HeaderEncoding() {}

    /** Percent-encodes, as UTF-8, all characters but printable ASCII, and the percent sign itself. */
    static String encode(String text) {
        StringBuilder encoded = new StringBuilder(text.length());
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b > ' ' && b < 127 && b != '%') {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HEX.toHexDigits(b));
            }
        }
        return encoded.toString();
    }

    /** Encodes an attribute of a CloudEvent, as their binding to HTTP says. */
    static String encodeAttribute(String text) {
        return encode(text).replace("\"", "%22");
    }

    /** Whether the text can be sent unencoded. */
    static boolean isPlain(String text) {
        return !text.isBlank() && text.chars().allMatch(c -> c >= ' ' && c < 127);
    }
}
