package dev.tandem.server.security;

import dev.tandem.server.api.UnreadBody;
import dev.tandem.server.words.Sentence;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
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
final class OidcLoginLimitFilter extends OncePerRequestFilter {

    private static final int MOST = 4;

    private static final String PROVIDER = "registrationId";

    /** The paths as Spring matches them, decoded and without parameters: no spelling of them leads around this filter. */
    private static final PathPatternRequestMatcher BEGIN = PathPatternRequestMatcher.withDefaults()
            .matcher(OAuth2AuthorizationRequestRedirectFilter.DEFAULT_AUTHORIZATION_REQUEST_BASE_URI + "/{" + PROVIDER
                    + "}");

    private static final RequestMatcher LOGINS = new OrRequestMatcher(
            BEGIN,
            PathPatternRequestMatcher.withDefaults()
                    .matcher(OAuth2LoginAuthenticationFilter.DEFAULT_FILTER_PROCESSES_URI));

    private final Set<String> providers;
    private final Semaphore places = new Semaphore(MOST);

    /** @param providers the ids of those that are configured: for others Spring would answer 500 and fill the log */
    OidcLoginLimitFilter(Set<String> providers) {
        this.providers = providers;
    }

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
        RequestMatcher.MatchResult begin = BEGIN.matcher(request);
        if (begin.isMatch() && !providers.contains(begin.getVariables().get(PROVIDER))) {
            LoginPages.send(
                    response,
                    HttpStatus.NOT_FOUND,
                    LoginPages.of(request)
                            .message(Sentence.of("login.no-provider"), Sentence.of("login.no-provider-why")));
            return;
        }
        if (!places.tryAcquire()) {
            response.setHeader(HttpHeaders.RETRY_AFTER, "1");
            LoginPages.send(
                    response,
                    HttpStatus.SERVICE_UNAVAILABLE,
                    LoginPages.of(request).message(Sentence.of("login.busy"), Sentence.of("login.busy-why")));
            return;
        }
        try {
            chain.doFilter(request, response);
        } finally {
            places.release();
        }
    }
}
