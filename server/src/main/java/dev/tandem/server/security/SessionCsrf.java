package dev.tandem.server.security;

import dev.tandem.server.access.Caller;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.FormBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.CsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfTokenRequestHandler;
import org.springframework.security.web.csrf.XorCsrfTokenRequestAttributeHandler;

/**
 * Proves that a form comes from a page of this server. The proof is derived from the secret of the session, or from that of the
 * login form where there is no session, so nothing is kept for it. It is expected in the field {@value #FIELD} of the form, or in
 * the header {@value #HEADER}.
 */
final class SessionCsrf implements CsrfTokenRepository, CsrfTokenRequestHandler {

    static final String FIELD = "_csrf";
    static final String HEADER = "X-CSRF-TOKEN";

    private static final Set<String> READS = Set.of("GET", "HEAD", "TRACE", "OPTIONS");
    private static final int SECRET_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SessionCookies cookies;
    private final XorCsrfTokenRequestAttributeHandler masked = new XorCsrfTokenRequestAttributeHandler();

    SessionCsrf(SessionCookies cookies) {
        this.cookies = cookies;
    }

    /**
     * Whether a request needs the proof: it changes something, and a browser may have sent by itself what shows the caller. Without
     * a caller, a request gets this far only to log in.
     */
    static boolean isNeeded(HttpServletRequest request) {
        Caller caller = Callers.of(request);
        return !READS.contains(request.getMethod())
                && (caller == null || caller.by().isAmbient());
    }

    /** Returns what a form of this page has to send. */
    static String of(HttpServletRequest request) {
        return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token ? token.getToken() : "";
    }

    @Override
    public @Nullable CsrfToken loadToken(HttpServletRequest request) {
        Caller caller = Callers.of(request);
        boolean ofSession = caller != null && (caller.by() == Caller.By.SESSION || caller.by() == Caller.By.OIDC);
        String secret = ofSession ? cookies.session(request) : cookies.form(request);
        return secret == null ? null : new Proof(secret);
    }

    @Override
    public CsrfToken generateToken(HttpServletRequest request) {
        return new Proof(newSecret());
    }

    /** Returns the secret of a browser that has none. */
    static String newSecret() {
        byte[] random = new byte[SECRET_BYTES];
        RANDOM.nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    @Override
    public void saveToken(@Nullable CsrfToken token, HttpServletRequest request, HttpServletResponse response) {
        if (token instanceof Proof proof) {
            cookies.setForm(request, response, proof.secret);
        }
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, Supplier<CsrfToken> token) {
        masked.handle(request, response, token);
    }

    @Override
    public @Nullable String resolveCsrfTokenValue(HttpServletRequest request, CsrfToken token) {
        Map<String, String> form = FormBody.of(request);
        return masked.resolveCsrfTokenValue(
                new HttpServletRequestWrapper(request) {
                    @Override
                    public @Nullable String getParameter(String name) {
                        return form.get(name);
                    }
                },
                token);
    }

    private static final class Proof implements CsrfToken {

        private static final long serialVersionUID = 1;

        private final String secret;

        Proof(String secret) {
            this.secret = secret;
        }

        @Override
        public String getHeaderName() {
            return HEADER;
        }

        @Override
        public String getParameterName() {
            return FIELD;
        }

        @Override
        public String getToken() {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256")
                        .digest(("csrf " + secret).getBytes(StandardCharsets.US_ASCII));
                return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
