package dev.tandem.server.security;

import dev.tandem.server.api.UnreadBody;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.filter.OncePerRequestFilter;

/** Bounds how many requests wait for an OpenID provider. They come before the login, so they must not hold up others. */
final class FewOidcLoginsFilter extends OncePerRequestFilter {

    private static final int MOST = 4;

    private final Semaphore places = new Semaphore(MOST);

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return !request.getRequestURI().contains("/oauth2/");
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (!request.getMethod().equals(HttpMethod.GET.name())) {
            UnreadBody.leave(request, response);
            response.setHeader(HttpHeaders.ALLOW, HttpMethod.GET.name());
            response.setStatus(HttpStatus.METHOD_NOT_ALLOWED.value());
            return;
        }
        if (!places.tryAcquire()) {
            response.setHeader(HttpHeaders.RETRY_AFTER, "1");
            LoginPages.send(
                    response,
                    HttpStatus.SERVICE_UNAVAILABLE,
                    LoginPages.message("Busy", "The provider is slow, and others log in too. Try again."));
            return;
        }
        try {
            chain.doFilter(request, response);
        } finally {
            places.release();
        }
    }
}
