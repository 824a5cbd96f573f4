package dev.tandem.server.handlers;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.runtime.settings.HostedTypes;
import dev.tandem.runtime.settings.HttpSettings;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.targets.AllowedTargets;
import dev.tandem.server.masking.PayloadMasks;
import dev.tandem.server.programs.Programs;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/** Creates the handlers of each queue. Only URLs from the queue's settings are ever called. Not thread-safe. */
public final class HostedHandlers implements AutoCloseable {

    private final TandemSettings settings;
    private final PayloadMasks masks;
    private final Map<String, Handler> more;
    private final MeterRegistry registry;
    private final Programs programs;
    private final Function<String, SSLContext> tls;
    /** By the bundles of their certificates. */
    private final Map<String, HttpCalls> calls = new HashMap<>();

    /**
     * Makes none yet.
     *
     * @param masks what the handler {@code log} shows of payloads
     * @param more additional handlers by type, for every queue
     * @param tls returns the certificates of a bundle
     */
    public HostedHandlers(
            TandemSettings settings,
            PayloadMasks masks,
            Map<String, Handler> more,
            MeterRegistry registry,
            Function<String, SSLContext> tls) {
        this.settings = settings;
        this.masks = masks;
        this.more = Map.copyOf(more);
        this.registry = registry;
        this.tls = tls;
        this.programs = new Programs(settings, registry);
    }

    /**
     * Returns a queue's handlers by type: the one that it names, {@code http} if it has a URL, and the additional ones. A
     * publisher chooses among these only.
     *
     * @param slowsDown whether the queue has rate limits, which {@code http} pauses when it is told to slow down
     */
    public Map<String, Handler> of(String name, QueueSettings queue, boolean slowsDown) {
        Map<String, Handler> handlers = new LinkedHashMap<>();
        if (HostedTypes.LOG.equals(queue.handler())) {
            handlers.put(HostedTypes.LOG, new LogHandler(settings.logPayloads() ? masks : null));
        }
        if (HostedTypes.NOOP.equals(queue.handler())) {
            handlers.put(HostedTypes.NOOP, task -> Result.done());
        }
        if (queue.http().url() != null) {
            handlers.put(HostedTypes.HTTP, http(name, queue.http(), slowsDown));
        }
        if (queue.command() != null) {
            handlers.put(HostedTypes.CMD, programs.of(queue));
        }
        handlers.putAll(more);
        return handlers;
    }

    /** Returns what posts the tasks of queues whose receivers end them later. */
    public PostedQueues posts() {
        return new PostedQueues(settings, this::poster);
    }

    private HttpHandler http(String name, HttpSettings http, boolean slowsDown) {
        return new HttpHandler(poster(name, http), Set.copyOf(http.deadOn()), InstantSource.system(), slowsDown);
    }

    private HttpPoster poster(String name, HttpSettings http) {
        URI url = URI.create(Objects.requireNonNull(http.url(), "url"));
        WebhookSigner signer = http.signingKeys().isEmpty()
                ? null
                : WebhookSigner.of(
                        "tandem.queues." + name + ".http.signing-keys",
                        http.signingKeys(),
                        System::getenv,
                        InstantSource.system());
        return new HttpPoster(
                calls.computeIfAbsent(Objects.requireNonNullElse(http.sslBundle(), ""), this::calls),
                new HttpTarget(url, AllowedTargets.of(http.allow(), url), HostResolver.SYSTEM),
                http,
                new RequestBody(http.body(), "/" + settings.redis().namespace() + "/" + name),
                signer,
                new HttpMetrics(registry, name));
    }

    private HttpCalls calls(String bundle) {
        Integer perHost = settings.http().connectionsPerHost();
        return new HttpCalls(
                settings.http(),
                perHost == null ? settings.executor().concurrency() : perHost,
                bundle.isEmpty() ? null : tls.apply(bundle));
    }

    @Override
    public void close() {
        programs.close();
        calls.values().forEach(HttpCalls::close);
    }
}
