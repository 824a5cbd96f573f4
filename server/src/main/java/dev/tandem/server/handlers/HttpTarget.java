package dev.tandem.server.handlers;

import dev.tandem.runtime.targets.AllowedTargets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.net.URIAuthority;

/** Where a queue's tasks are posted. Each call looks its addresses up anew, and is pinned to those that may be connected to. */
final class HttpTarget {

    private final URI url;
    private final AllowedTargets allowed;
    private final HostResolver resolver;

    HttpTarget(URI url, AllowedTargets allowed, HostResolver resolver) {
        this.url = url;
        this.allowed = allowed;
        this.resolver = resolver;
    }

    /** Returns host and port for people. */
    @Override
    public String toString() {
        return url.getAuthority();
    }

    /** Returns what a request has as its host. */
    URIAuthority authority() {
        return new URIAuthority(url.getHost(), url.getPort());
    }

    String path() {
        String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        return url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
    }

    int port() {
        if (url.getPort() >= 0) {
            return url.getPort();
        }
        return scheme().equals("https") ? 443 : 80;
    }

    private String scheme() {
        return url.getScheme().toLowerCase(Locale.ROOT);
    }

    /**
     * Resolves the host, and leaves out what must not be connected to.
     *
     * @param due when the look-up must have ended, by {@link System#nanoTime}
     * @return one or more
     * @throws RefusedException if nothing else is left
     */
    List<HttpHost> addresses(HostLookUps lookUps, long due) throws IOException, InterruptedException {
        String host = url.getHost();
        List<HttpHost> pinned = new ArrayList<>();
        String refusal = "it has no address";
        for (InetAddress address : lookUps.resolve(resolver, host, due)) {
            String why = allowed.refusal(host, port(), address);
            if (why == null) {
                pinned.add(new HttpHost(scheme(), address, host, port()));
            } else {
                refusal = why;
            }
        }
        if (pinned.isEmpty()) {
            throw new RefusedException(refusal);
        }
        return pinned;
    }

    /** Says that a host has no address that may be connected to. */
    static final class RefusedException extends UnknownHostException {

        RefusedException(String why) {
            super(why);
        }
    }
}
