package dev.tandem.server.handlers;

import dev.tandem.runtime.settings.HttpSettings;
import dev.tandem.runtime.settings.TandemSettings.HttpCallSettings;
import dev.tandem.runtime.targets.AllowedTargets;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Makes what the tests of {@code http} call with. */
final class HttpCallsOfTests {

    static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    private HttpCallsOfTests() {}

    static HttpCalls create() {
        return create(64);
    }

    static HttpCalls create(int perHost) {
        return create(perHost, null);
    }

    static HttpCalls create(int perHost, @Nullable SSLContext tls) {
        return new HttpCalls(new HttpCallSettings(Duration.ofSeconds(10), null, Duration.ofSeconds(30)), perHost, tls);
    }

    static HttpSettings settings(String url, List<String> allow) {
        return new HttpSettings(
                url,
                allow,
                List.of(),
                Map.of(),
                HttpSettings.Body.PAYLOAD,
                HttpSettings.Answers.NOW,
                Duration.ofSeconds(5),
                List.of(),
                null);
    }

    static HttpHandler handler(HttpCalls calls, HttpSettings settings, HostResolver resolver, boolean slowsDown) {
        return new HttpHandler(
                poster(calls, settings, resolver, null),
                Set.copyOf(settings.deadOn()),
                InstantSource.fixed(NOW),
                slowsDown);
    }

    static HttpPoster poster(
            HttpCalls calls, HttpSettings settings, HostResolver resolver, @Nullable WebhookSigner signer) {
        URI url = URI.create(settings.url());
        return new HttpPoster(
                calls,
                new HttpTarget(url, AllowedTargets.of(settings.allow(), url), resolver),
                settings,
                new RequestBody(settings.body(), "/tandem/orders"),
                signer,
                new HttpMetrics(new SimpleMeterRegistry(), "orders"));
    }
}
