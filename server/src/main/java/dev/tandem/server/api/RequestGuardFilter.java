package dev.tandem.server.api;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.web.filter.OncePerRequestFilter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Applies {@link RequestGuard} before any other filter and before a body is read, and sets headers that keep answers away
 * from other sites.
 */
final class RequestGuardFilter extends OncePerRequestFilter {

    private static final String NO_FEATURES =
            "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()";

    /** The paths of pages. None of them changes anything, or takes long. */
    private static final Pattern PAGES = Pattern.compile("/|/login|/login/link|/login/oauth2/code/[\\w-]+"
            + "|/(queues|running|dead|executors|schedules|fan-outs|operations|limits|archive|audit|search)(/.*)?");

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
                request.getHeader("Sec-Fetch-Site"),
                opensPage(request));
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        // With no-referrer, browsers say of forms of this server that they come from nowhere: Origin: null.
        response.setHeader("Referrer-Policy", "same-origin");
        response.setHeader(
                "Content-Security-Policy",
                "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Permissions-Policy", NO_FEATURES);
        // It would hold for all other ports of localhost too.
        if (request.isSecure()
                && !request.getServerName().toLowerCase(Locale.ROOT).endsWith("localhost")) {
            response.setHeader("Strict-Transport-Security", "max-age=31536000");
        }
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        if (refusal.isPresent()) {
            UnreadBody.leave(request, response);
            ProblemDetails.write(
                    request,
                    response,
                    json,
                    ProblemType.FOREIGN_ORIGIN,
                    refusal.get().detail(),
                    refusal.get().remedy());
            return;
        }
        chain.doFilter(request, response);
    }

    /** Programs have no pages, so what they call is never opened by a link of another site. */
    private static boolean opensPage(HttpServletRequest request) {
        String path = request.getRequestURI();
        return request.getMethod().equals(HttpMethod.GET.name())
                && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
                && "document".equals(request.getHeader("Sec-Fetch-Dest"))
                && PAGES.matcher(path).matches();
    }
}
