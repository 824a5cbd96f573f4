package dev.tandem.task;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Writes text of any characters into URLs. */
public final class UrlText {

    private UrlText() {}

    /** Returns a text as a segment of a path, its slashes included. Lone dots would be taken for steps within the path. */
    public static String pathSegment(String text) {
        String encoded = queryValue(text);
        return encoded.equals(".") || encoded.equals("..") ? encoded.replace(".", "%2E") : encoded;
    }

    /** Returns a text as a value of a query, or as a user or password. */
    public static String queryValue(String text) {
        // URLEncoder encodes for forms, where a space is a plus.
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
