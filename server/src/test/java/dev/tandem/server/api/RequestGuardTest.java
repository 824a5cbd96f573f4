package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestGuardTest {

    private final RequestGuard guard = new RequestGuard(List.of("Tandem.example.com"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "localhost:8080",
                "LOCALHOST:8080",
                "tandem.localhost",
                "127.0.0.1:8080",
                "10.1.2.3",
                "[::1]:8080",
                "[::1]",
                "tandem.example.com",
                "tandem.example.com:8080"
            })
    void addressesLocalhostAndListedNamesAreAllowed(String host) {
        assertThat(guard.check(host, null, null, false)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", ""})
    void otherHostNamesAreRefused(String host) {
        assertThat(guard.check(host, null, null, false)).isPresent().get().satisfies(refusal -> {
            assertThat(refusal.detail().english()).contains(host);
            assertThat(refusal.remedy().english()).contains("tandem.api.allowed-hosts");
        });
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "localhost:8080, http://localhost:8080, same-origin",
                "localhost:8080, http://localhost:8080, -",
                "127.0.0.1, http://127.0.0.1, -",
                "[::1]:8080, http://[::1]:8080, -",
                "tandem.example.com, https://tandem.example.com, same-origin",
                "localhost:8080, -, none",
                "localhost:8080, -, -",
            })
    void programsAndOwnPagesAreAllowed(String host, String origin, String fetchSite) {
        assertThat(guard.check(host, origin, fetchSite, false)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "localhost:8080, http://evil.example, -",
                "localhost:8080, http://localhost:3000, -",
                "localhost:8080, http://127.0.0.1:8080, -",
                "localhost:8080, null, -",
                "localhost:8080, https://localhost:80 80, -",
                "localhost:8080, -, cross-site",
                "localhost:8080, -, same-site",
                "-, http://localhost, -",
            })
    void otherPagesAreRefusedEvenToRead(String host, String origin, String fetchSite) {
        assertThat(guard.check(host, origin, fetchSite, false)).isPresent();
    }

    @Test
    void requestWithoutHostHeaderIsAllowed() {
        assertThat(guard.check(null, null, null, false)).isEmpty();
    }

    /** As in a message of a colleague. Only the host still counts. */
    @Test
    void aLinkOfAnotherSiteMayOpenAPage() {
        assertThat(guard.check("localhost:8080", null, "cross-site", true)).isEmpty();
        assertThat(guard.check("evil.example", null, "cross-site", true)).isPresent();
        assertThat(guard.check("localhost:8080", "http://evil.example", "cross-site", true))
                .isPresent();
    }
}
