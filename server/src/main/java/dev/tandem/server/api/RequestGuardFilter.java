package dev.tandem.server.api;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.filter.OncePerRequestFilter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Applies {@link RequestGuard} before any other filter and before a body is read, and sets headers that keep answers away
 * from other sites.
 */
final class RequestGuardFilter extends OncePerRequestFilter {

    private final RequestGuard guard;
    private final JsonMapper json;

    RequestGuardFilter(RequestGuard guard, JsonMapper json) {
        this.guard = guard;
        this.json = json;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Optional<RequestGuard.Refusal> refusal = guard.check(
                request.getHeader(HttpHeaders.HOST),
                request.getHeader(HttpHeaders.ORIGIN),
                request.getHeader("Sec-Fetch-Site"));
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        if (refusal.isPresent()) {
            UnreadBody.leave(request, response);
            response.setStatus(HttpStatus.FORBIDDEN.value());
            response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
            json.writeValue(
                    response.getOutputStream(),
                    ProblemDetails.asMap(
                            ProblemType.FOREIGN_ORIGIN,
                            refusal.get().detail(),
                            refusal.get().remedy()));
            return;
        }
        chain.doFilter(request, response);
    }
}
