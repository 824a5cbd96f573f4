package dev.tandem.server.api;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/** Server-sent events as answers. */
public final class EventStreams {

    private EventStreams() {}

    /** Whether a request asks for events, as an open page does again and again. */
    public static boolean isAskedFor(HttpServletRequest request) {
        String accept = request.getHeader(HttpHeaders.ACCEPT);
        return accept != null && accept.startsWith(MediaType.TEXT_EVENT_STREAM_VALUE);
    }
}
