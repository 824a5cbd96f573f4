package dev.tandem.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;

/** Logins that are under way at a provider are bounded, of each address too. */
class PendingOidcLoginsTest {

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final PendingOidcLogins pending = new PendingOidcLogins(new SessionCookies("Lax"), now::get);

    /** Begins a login, and returns the request with which its browser comes back. */
    private MockHttpServletRequest begin(String state, String address) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setRemoteAddr(address);
        MockHttpServletResponse response = new MockHttpServletResponse();
        pending.saveAuthorizationRequest(
                OAuth2AuthorizationRequest.authorizationCode()
                        .authorizationUri("https://login.example")
                        .clientId("tandem")
                        .state(state)
                        .build(),
                request,
                response);
        MockHttpServletRequest back = new MockHttpServletRequest();
        back.setCookies(response.getCookies());
        back.setParameter("state", state);
        return back;
    }

    private boolean isKnown(MockHttpServletRequest back) {
        return pending.loadAuthorizationRequest(back) != null;
    }

    @Test
    void oneAddressPushesOutItsOwnOnly() {
        MockHttpServletRequest other = begin("other", "10.0.0.2");
        MockHttpServletRequest first = begin("first", "10.0.0.1");
        MockHttpServletRequest second = begin("second", "10.0.0.1");
        for (int i = 0; i < 5 * PendingOidcLogins.MOST_OF_ADDRESS; i++) {
            begin("s" + i, "10.0.0.1");
        }

        assertThat(isKnown(first)).isFalse();
        assertThat(isKnown(second)).isFalse();
        assertThat(isKnown(other)).isTrue();
    }

    @Test
    void aClientCannotChooseManyAddressesOfItsNetwork() {
        MockHttpServletRequest first = begin("first", "2001:db8:0:1:0:0:0:1");
        for (int i = 0; i < PendingOidcLogins.MOST_OF_ADDRESS; i++) {
            begin("s" + i, "2001:db8:0:1:0:0:1:" + i);
        }
        assertThat(isKnown(first)).isFalse();
    }

    @Test
    void aLoginEndsAfterItsTime() {
        MockHttpServletRequest first = begin("first", "10.0.0.1");
        assertThat(isKnown(first)).isTrue();
        now.set(Instant.EPOCH.plusSeconds(601));
        assertThat(isKnown(first)).isFalse();
    }
}
