package dev.tandem.server.security;

import dev.tandem.server.access.FailureLimit;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.client.web.AuthorizationRequestRepository;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;

/**
 * The logins that are under way at an OpenID provider, in memory: {@value #MOST_OF_ADDRESS} of each address and {@value #MOST} in
 * all, the latest, for {@link #LIFETIME} each, so that no client can push out those of others. Only the browser that began one can end it, which its cookie shows. Thread-safe.
 */
final class PendingOidcLogins implements AuthorizationRequestRepository<OAuth2AuthorizationRequest> {

    static final int MOST = 1_000;

    /** Behind one address there may be many people. */
    static final int MOST_OF_ADDRESS = 100;

    private static final Duration LIFETIME = Duration.ofMinutes(10);

    private record Pending(OAuth2AuthorizationRequest request, String browser, String address, Instant endsAt) {}

    private final SessionCookies cookies;
    private final InstantSource clock;
    private final Map<String, Pending> byState = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Pending> eldest) {
            return size() > MOST;
        }
    };

    PendingOidcLogins(SessionCookies cookies, InstantSource clock) {
        this.cookies = cookies;
        this.clock = clock;
    }

    @Override
    public @Nullable OAuth2AuthorizationRequest loadAuthorizationRequest(HttpServletRequest request) {
        return find(request, false);
    }

    @Override
    public void saveAuthorizationRequest(
            @Nullable OAuth2AuthorizationRequest login, HttpServletRequest request, HttpServletResponse response) {
        if (login == null || login.getState() == null) {
            return;
        }
        String browser = cookies.form(request);
        if (browser == null) {
            browser = SessionCsrf.newSecret();
            cookies.setForm(request, response, browser);
        }
        String address = FailureLimit.network(request.getRemoteAddr());
        synchronized (this) {
            makeRoom(address);
            byState.put(
                    login.getState(),
                    new Pending(login, browser, address, clock.instant().plus(LIFETIME)));
        }
    }

    private void makeRoom(String address) {
        Instant now = clock.instant();
        byState.values().removeIf(pending -> !now.isBefore(pending.endsAt()));
        List<String> ofAddress = byState.entrySet().stream()
                .filter(entry -> entry.getValue().address().equals(address))
                .map(Map.Entry::getKey)
                .toList();
        if (ofAddress.size() >= MOST_OF_ADDRESS) {
            byState.remove(ofAddress.get(0));
        }
    }

    @Override
    public @Nullable OAuth2AuthorizationRequest removeAuthorizationRequest(
            HttpServletRequest request, HttpServletResponse response) {
        return find(request, true);
    }

    private synchronized @Nullable OAuth2AuthorizationRequest find(HttpServletRequest request, boolean removes) {
        String state = request.getParameter("state");
        String browser = cookies.form(request);
        Pending pending = state == null ? null : byState.get(state);
        if (pending == null
                || !pending.browser().equals(browser)
                || !clock.instant().isBefore(pending.endsAt())) {
            return null;
        }
        if (removes) {
            byState.remove(state);
        }
        return pending.request();
    }
}
