package dev.tandem.server.api;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.InputStream;
import java.util.regex.Pattern;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/**
 * Gives answers to reads a weak ETag, the hash of their bytes, and answers 304 to whoever has the same ones already. It keeps an
 * answer in memory until it is whole, as the JSON of a page is anyway: none is longer than a page of a list, a task with its
 * payload, or the document. What waits for something is left out.
 */
final class EtagFilter extends ShallowEtagHeaderFilter {

    private static final Pattern WAITING =
            Pattern.compile("/api/v1/queues/[^/]+/(tasks/[^/]+/end|(tasks|keys)/[^/]+/why)");

    EtagFilter() {
        setWriteWeakETag(true);
    }

    /** Takes answers that browsers and proxies may not keep ({@code no-store}), too: a program may ask about one that it has. */
    @Override
    protected boolean isEligibleForEtag(
            HttpServletRequest request, HttpServletResponse response, int status, InputStream body) {
        return !response.isCommitted() && status == HttpStatus.OK.value();
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return !request.getMethod().equals(HttpMethod.GET.name())
                || WAITING.matcher(request.getRequestURI()).matches();
    }
}
