package dev.tandem.task;

import java.util.Locale;

/** Reads the media types of content types. */
public final class MediaTypes {

    private MediaTypes() {}

    /** Returns the media type of a content type in small letters, without parameters. */
    public static String of(String contentType) {
        return contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    /** Returns whether a media type is JSON itself. */
    public static boolean isJson(String mediaType) {
        return mediaType.endsWith("/json") || mediaType.endsWith("+json");
    }
}
