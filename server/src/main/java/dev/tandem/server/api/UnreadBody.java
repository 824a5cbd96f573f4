package dev.tandem.server.api;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpHeaders;

/** The body of a request that is refused before it was read. */
public final class UnreadBody {

    private UnreadBody() {}

    /** Has the connection closed without reading the body, if there is one: what comes next is the body, not a request. */
    public static void leave(HttpServletRequest request, HttpServletResponse response) {
        if (RequestLimitFilter.hasBody(request)) {
            response.setHeader(HttpHeaders.CONNECTION, "close");
            request.setAttribute(UnreadBodyValve.REFUSED, Boolean.TRUE);
        }
    }
}
