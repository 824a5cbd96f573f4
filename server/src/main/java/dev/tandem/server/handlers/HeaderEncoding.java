package dev.tandem.server.handlers;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Text in HTTP header values, which hold only printable ASCII for sure. */
final class HeaderEncoding {

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private HeaderEncoding() {}

    /** Percent-encodes the UTF-8 of what is not printable ASCII, and the percent sign. */
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

    /** Whether it may be sent as it is. */
    static boolean isPlain(String text) {
        return !text.isBlank() && text.chars().allMatch(c -> c >= ' ' && c < 127);
    }
}
