package dev.tandem.task;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Writes text of any characters into URLs. */
public final class UrlText {

    private UrlText() {}

    /** Returns a text as a part of a path, its slashes included. Lone dots would be taken for steps within the path. */
    public static String part(String text) {
        String encoded = value(text);
        return encoded.equals(".") || encoded.equals("..") ? encoded.replace(".", "%2E") : encoded;
    }

    /** Returns a text as a value of a query, or as a user or password. */
    public static String value(String text) {
        // URLEncoder encodes for forms, where a space is a plus.
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
