package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keeps threads of the web server free for health, whatever clients of the API do. Only so many requests have a thread
 * at once; more are refused, not queued. A body is read here, whole, within a time and a size, so that a slow client
 * holds a thread for that time at most. Requests for health that have no body pass freely: they wait for nothing.
 */
final class RequestLimitFilter extends OncePerRequestFilter {

    private static final String BODY = RequestLimitFilter.class.getName() + ".body";
    private static final String HEALTH = "/actuator/health";
    private static final Pattern STREAM = Pattern.compile("/api/v1/queues/[^/]+/tasks/batch");
    private static final byte[] EMPTY = {};

    /** How many bodies are read at once of clients that have not logged in, and how long each may be. */
    private static final int MAX_OF_NOBODY = 4;

    private static final int MAX_BODY_OF_NOBODY = 16_384;

    private final Semaphore permits;
    private final Semaphore ofNobody = new Semaphore(MAX_OF_NOBODY);
    private final int maxRequests;
    private final int maxBody;
    private final long bodyNanos;
    private final JsonMapper json;

    /**
     * @param maxRequests how many requests may have a thread at once, fewer than the server has threads
     * @param maxBody the longest body in bytes
     * @param bodyMillis how long a body may take to arrive
     */
    RequestLimitFilter(int maxRequests, int maxBody, long bodyMillis, JsonMapper json) {
        this.permits = new Semaphore(maxRequests);
        this.maxRequests = maxRequests;
        this.maxBody = maxBody;
        this.bodyNanos = TimeUnit.MILLISECONDS.toNanos(bodyMillis);
        this.json = json;
    }

    /** Returns how many of the web server's threads requests other than those for health may have. */
    static int maxRequests(int threads) {
        return Math.max(1, threads - Math.min(8, threads / 2));
    }

    /** Returns the body of a request that has passed this filter. */
    static byte[] body(HttpServletRequest request) {
        return request.getAttribute(BODY) instanceof byte[] bytes ? bytes : EMPTY;
    }

    /** Takes the body out of a request that has passed this filter, so that the request does not keep it while it waits. */
    static byte[] takeBody(HttpServletRequest request) {
        Object body = request.getAttribute(BODY);
        request.removeAttribute(BODY);
        return body instanceof byte[] bytes ? bytes : EMPTY;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        String path = request.getRequestURI();
        return (path.equals(HEALTH) || path.startsWith(HEALTH + "/")) && !hasBody(request);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        // Whoever tries to log in cannot hold the places of those who have.
        boolean isNobody = hasBody(request) && Callers.of(request) == null;
        Semaphore places = isNobody ? ofNobody : permits;
        if (!places.tryAcquire()) {
            response.setHeader(HttpHeaders.RETRY_AFTER, "1");
            refuse(
                    request,
                    response,
                    ProblemType.BUSY,
                    Sentence.of("problem.busy", isNobody ? MAX_OF_NOBODY : maxRequests),
                    Sentence.of("remedy.fewer-requests"));
            return;
        }
        try {
            boolean isRead = hasBody(request) && (isNobody || !isStream(request));
            byte[] body = isRead ? read(request, response, isNobody) : EMPTY;
            if (body != null) {
                request.setAttribute(BODY, body);
                chain.doFilter(request, response);
            }
        } finally {
            places.release();
        }
    }

    /** Whether the route reads the body itself, piece by piece. */
    private static boolean isStream(HttpServletRequest request) {
        return STREAM.matcher(request.getRequestURI()).matches();
    }

    static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null;
    }

    /** Returns the body; null if the request was refused. The web server closes the connection of these statuses. */
    private byte @Nullable [] read(HttpServletRequest request, HttpServletResponse response, boolean isNobody)
            throws IOException {
        int longest = isNobody ? Math.min(maxBody, MAX_BODY_OF_NOBODY) : maxBody;
        long start = System.nanoTime();
        InputStream in = request.getInputStream();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] piece = new byte[8_192];
        try {
            for (int size = in.read(piece); size >= 0; size = in.read(piece)) {
                if (body.size() + size > longest) {
                    refuse(
                            request,
                            response,
                            ProblemType.TOO_LONG,
                            Sentence.of("problem.body-too-long", longest),
                            Sentence.of("remedy.too-long"));
                    return null;
                }
                body.write(piece, 0, size);
                if (System.nanoTime() - start > bodyNanos) {
                    refuseSlow(request, response);
                    return null;
                }
            }
        } catch (SocketTimeoutException e) {
            refuseSlow(request, response);
            return null;
        } catch (IOException e) {
            refuse(
                    request,
                    response,
                    ProblemType.INVALID_REQUEST,
                    Sentence.of("problem.body-incomplete"),
                    Sentence.of("remedy.again"));
            return null;
        }
        return body.toByteArray();
    }

    private void refuseSlow(HttpServletRequest request, HttpServletResponse response) throws IOException {
        refuse(
                request,
                response,
                ProblemType.SLOW_BODY,
                Sentence.of("problem.slow-body"),
                Sentence.of("remedy.slow-body"));
    }

    private void refuse(
            HttpServletRequest request,
            HttpServletResponse response,
            ProblemType type,
            Sentence detail,
            Sentence remedy)
            throws IOException {
        request.setAttribute(UnreadBodyValve.REFUSED, Boolean.TRUE);
        ProblemDetails.write(request, response, json, type, detail, remedy);
    }
}
