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
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestRedirectFilter;
import org.springframework.security.oauth2.client.web.OAuth2LoginAuthenticationFilter;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.OrRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;
import org.springframework.web.filter.OncePerRequestFilter;

/** Bounds how many requests wait for an OpenID provider. They come before the login, so they must not hold up others. */
final class FewOidcLoginsFilter extends OncePerRequestFilter {

    private static final int MOST = 4;

    /** The paths as Spring matches them, decoded and without parameters: no spelling of them leads around this filter. */
    private static final RequestMatcher LOGINS = new OrRequestMatcher(
            PathPatternRequestMatcher.withDefaults()
                    .matcher(OAuth2AuthorizationRequestRedirectFilter.DEFAULT_AUTHORIZATION_REQUEST_BASE_URI
                            + "/{registrationId}"),
            PathPatternRequestMatcher.withDefaults()
                    .matcher(OAuth2LoginAuthenticationFilter.DEFAULT_FILTER_PROCESSES_URI));

    private final Semaphore places = new Semaphore(MOST);

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return !LOGINS.matches(request);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        // Nobody has logged in here, so nothing waits for a body: neither parameters, nor the web server afterwards.
        UnreadBody.leave(request, response);
        if (!request.getMethod().equals(HttpMethod.GET.name())) {
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
