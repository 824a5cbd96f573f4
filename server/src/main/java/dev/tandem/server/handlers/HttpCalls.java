package dev.tandem.server.handlers;

import dev.tandem.runtime.settings.TandemSettings.HttpCallSettings;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.HttpHostConnectException;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.entity.AsyncEntityProducers;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts tasks, over connections that it keeps. Follows no redirects, repeats nothing, keeps no cookies, resolves no names and uses
 * no proxy. Thread-safe.
 */
final class HttpCalls implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HttpCalls.class);

    /** How long the rest of an answer may take whose status has arrived. */
    private static final Duration BODY_TIMEOUT = Duration.ofSeconds(5);

    /** Addresses come from {@link HttpTarget}, which has checked them. */
    private static final DnsResolver NONE = new DnsResolver() {
        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
            throw new UnknownHostException(host);
        }

        @Override
        public String resolveCanonicalHostname(String host) throws UnknownHostException {
            throw new UnknownHostException(host);
        }
    };

    private final CloseableHttpAsyncClient client;
    private final HostLookUps lookUps = new HostLookUps();
    private final int perHost;
    /** By host and port of URLs in settings, so there are few. */
    private final Map<String, Semaphore> free = new ConcurrentHashMap<>();

    /**
     * @param perHost the most calls of one host and port at once
     * @param tls null for that of the JVM
     */
    HttpCalls(HttpCallSettings settings, int perHost, @Nullable SSLContext tls) {
        this.perHost = perHost;
        ClientTlsStrategyBuilder strategy = ClientTlsStrategyBuilder.create();
        if (tls != null) {
            strategy.setSslContext(tls);
        }
        PoolingAsyncClientConnectionManager connections = PoolingAsyncClientConnectionManagerBuilder.create()
                .setDnsResolver(NONE)
                .setMaxConnPerRoute(perHost)
                .setMaxConnTotal(Integer.MAX_VALUE)
                .setTlsStrategy(strategy.buildAsync())
                .setDefaultTlsConfig(TlsConfig.custom()
                        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1)
                        .setHandshakeTimeout(Timeout.of(settings.connectTimeout()))
                        .build())
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(Timeout.of(settings.connectTimeout()))
                        .setIdleTimeout(Timeout.of(settings.keepAlive()))
                        .setValidateAfterInactivity(TimeValue.ofSeconds(1))
                        .build())
                .build();
        client = HttpAsyncClientBuilder.create()
                .setConnectionManager(connections)
                .setIOReactorConfig(IOReactorConfig.custom().setIoThreadCount(2).build())
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setRedirectsEnabled(false)
                        .setAuthenticationEnabled(false)
                        .setProtocolUpgradeEnabled(false)
                        .setExpectContinueEnabled(false)
                        .build())
                .setIoReactorExceptionCallback(e -> log.debug("A connection of the http handler failed", e))
                .setUserAgent("Tandem")
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableAuthCaching()
                .disableContentCompression()
                // Else no connection with a client's certificate is used again. All calls from here have the same one.
                .disableConnectionState()
                .evictExpiredConnections()
                .evictIdleConnections(TimeValue.of(settings.keepAlive()))
                .build();
        client.start();
    }

    /**
     * Posts, and waits for the answer.
     *
     * @param headers with lines that cannot be mistaken for others
     * @param time for everything
     * @throws IOException if there is no answer; its message says why
     */
    HttpAnswer post(HttpTarget target, Map<String, String> headers, byte[] body, Duration time)
            throws IOException, InterruptedException {
        long due = System.nanoTime() + time.toNanos();
        Semaphore places = free.computeIfAbsent(target.authority().toString(), host -> new Semaphore(perHost, true));
        if (!places.tryAcquire(left(due), TimeUnit.NANOSECONDS)) {
            throw new InterruptedIOException(
                    "none of its " + perHost + " connections (tandem.http.connections-per-host) was free in time");
        }
        try {
            // Those of one host are tried one after another, as far as no connection comes about.
            Iterator<HttpHost> addresses = target.addresses(lookUps, due).iterator();
            while (true) {
                try {
                    return post(target, addresses.next(), headers, body, due);
                } catch (ConnectException | NoRouteToHostException | ConnectTimeoutException e) {
                    if (!addresses.hasNext() || left(due) == 0) {
                        throw e;
                    }
                }
            }
        } finally {
            places.release();
        }
    }

    private HttpAnswer post(HttpTarget target, HttpHost host, Map<String, String> headers, byte[] body, long due)
            throws IOException, InterruptedException {
        BasicHttpRequest request =
                new BasicHttpRequest("POST", host.getSchemeName(), target.authority(), target.path());
        headers.forEach(request::setHeader);
        HttpClientContext context = HttpClientContext.create();
        HttpAnswer answer = new HttpAnswer();
        Future<HttpAnswer> call = client.execute(
                host,
                new BasicRequestProducer(request, AsyncEntityProducers.create(body, null)),
                answer,
                null,
                context,
                null);
        try {
            answer.head().get(left(due), TimeUnit.NANOSECONDS);
            call.get(Math.min(left(due), BODY_TIMEOUT.toNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            if (!answer.head().isDone()) {
                throw new InterruptedIOException("request timed out");
            }
        } catch (ExecutionException | CancellationException e) {
            if (answer.head().isCompletedExceptionally() || !answer.head().isDone()) {
                throw failure(e.getCause() == null ? e : e.getCause());
            }
        } finally {
            // Ends what still goes on, and closes its connection. That of a call that has just ended may be on its way
            // back to the pool, and would be closed, too.
            if (!call.isDone()) {
                call.cancel(true);
            }
        }
        return answer;
    }

    private static IOException failure(Throwable cause) {
        if (cause instanceof HttpHostConnectException connect && connect.getCause() instanceof IOException own) {
            return own;
        }
        return cause instanceof IOException failure ? failure : new IOException(cause);
    }

    private static long left(long due) {
        return Math.max(0, due - System.nanoTime());
    }

    @Override
    public void close() {
        lookUps.close();
        client.close(CloseMode.GRACEFUL);
    }
}
