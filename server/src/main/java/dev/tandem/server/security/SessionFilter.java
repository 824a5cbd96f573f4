package dev.tandem.server.security;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Sessions;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.EventStreams;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/** Finds out who calls by the cookie of a session. A header {@code Authorization} counts more, also if it is wrong. */
final class SessionFilter extends OncePerRequestFilter {

    private final Sessions sessions;
    private final SessionCookies cookies;

    SessionFilter(Sessions sessions, SessionCookies cookies) {
        this.sessions = sessions;
        this.cookies = cookies;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String secret = cookies.session(request);
        boolean isOther = request.getHeader(HttpHeaders.AUTHORIZATION) != null || Callers.of(request) != null;
        Optional<Caller> caller = secret == null || isOther
                ? Optional.empty()
                // An open page asks again and again, though nobody may be there.
                : EventStreams.isAskedFor(request) ? sessions.look(secret) : sessions.find(secret);
        if (caller.isPresent()) {
            TokenFilter.pass(caller.get(), request, response, chain);
        } else {
            chain.doFilter(request, response);
        }
    }
}
