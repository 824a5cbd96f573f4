package dev.tandem.server.security;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.FailureLimit;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.ProblemType;
import dev.tandem.server.words.Sentence;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/** Finds out who calls by the token in the header {@code Authorization}. Requests without one go on, as those of nobody. */
final class TokenFilter extends OncePerRequestFilter {

    private static final String SCHEME = "Bearer ";

    private final KnownTokens tokens;
    private final FailureLimit failures;
    private final Refusals refusals;
    private final LoginRecord record;
    private final Set<String> open;

    /** @param open the paths that need no token. A bad one there is as good as none: probes of health go on */
    TokenFilter(KnownTokens tokens, FailureLimit failures, Refusals refusals, LoginRecord record, Set<String> open) {
        this.open = open;
        this.record = record;
        this.tokens = tokens;
        this.failures = failures;
        this.refusals = refusals;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String header = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (header == null) {
            chain.doFilter(request, response);
            return;
        }
        boolean isBearer = header.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
        KnownTokens.Check check = isBearer
                ? tokens.check(header.substring(SCHEME.length()).strip())
                : new KnownTokens.Bad("the scheme of the header Authorization must be Bearer");
        if (check instanceof KnownTokens.Good good) {
            pass(good.caller(), request, response, chain);
        } else if (open.contains(request.getRequestURI())) {
            chain.doFilter(request, response);
        } else if (check instanceof KnownTokens.Bad bad) {
            refuse(request, response, bad.reason());
        } else {
            refusals.write(
                    request,
                    response,
                    ProblemType.UNAVAILABLE,
                    Sentence.of("problem.token-unchecked"),
                    Sentence.of("remedy.health"));
        }
    }

    /** Passes a request on as that of a caller. */
    static void pass(Caller caller, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        SecurityContext context = SecurityContextHolder.createEmptyContext();
        context.setAuthentication(new CallerAuthentication(caller));
        SecurityContextHolder.setContext(context);
        Callers.set(request, caller);
        try {
            chain.doFilter(request, response);
        } finally {
            SecurityContextHolder.clearContext();
        }
    }

    private void refuse(HttpServletRequest request, HttpServletResponse response, String reason) throws IOException {
        record.refused(request, reason);
        if (failures.isOverAfter(request.getRemoteAddr(), System.nanoTime())) {
            response.setHeader(HttpHeaders.RETRY_AFTER, Integer.toString(FailureLimit.SECONDS_EACH));
            refusals.write(
                    request,
                    response,
                    ProblemType.TOO_MANY_BAD_TOKENS,
                    Sentence.of("problem.bad-tokens"),
                    Sentence.of("remedy.bad-tokens"));
            return;
        }
        response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"");
        refusals.write(
                request,
                response,
                ProblemType.INVALID_TOKEN,
                Sentence.of("problem.bad-token", Sentence.audited(reason)),
                Refusals.HOW_TO_LOG_IN);
    }
}
