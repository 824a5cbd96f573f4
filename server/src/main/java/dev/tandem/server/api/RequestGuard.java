package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request may come from where it comes from, before anything else is looked at: a web page in a browser
 * on this machine can call loopback too. Two kinds of attack are refused:
 *
 * <ul>
 *   <li>DNS rebinding, where the page's host name resolves to this machine: the Host header must be an address,
 *       localhost, or a name from the settings.
 *   <li>Cross-site requests by a link, an image, a form or a script: a request must come from a program, from a page of
 *       this server, or from the address bar, by its Origin, and by {@code Sec-Fetch-Site} where the browser sends it.
 *       Reads are refused too, since a page that cannot see the answer can still make the server work. Links to pages
 *       for people are excepted: these may be anywhere.
 * </ul>
 */
final class RequestGuard {

    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:.%]+]");

    /** The reason for a refusal, and the remedy. */
    record Refusal(Sentence detail, Sentence remedy) {}

    private final Set<String> allowedHosts;

    RequestGuard(List<String> allowedHosts) {
        this.allowedHosts = allowedHosts.stream()
                .map(host -> host.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * @param host the Host header; a request without one (HTTP/1.0) does not come from a browser
     * @param opensPage whether a browser opens a page for people, in a tab of its own and only to read it
     */
    Optional<Refusal> check(
            @Nullable String host, @Nullable String origin, @Nullable String fetchSite, boolean opensPage) {
        if (host != null && !mayBeCalled(host)) {
            return Optional.of(
                    new Refusal(Sentence.of("problem.foreign-name", shown(host)), Sentence.of("remedy.foreign-name")));
        }
        if (fetchSite != null && !opensPage && !fetchSite.equals("same-origin") && !fetchSite.equals("none")) {
            return Optional.of(crossSite("Sec-Fetch-Site '" + shown(fetchSite) + "'"));
        }
        if (origin != null && !isOwn(origin, host)) {
            return Optional.of(crossSite("Origin '" + shown(origin) + "'"));
        }
        return Optional.empty();
    }

    private static Refusal crossSite(String header) {
        return new Refusal(Sentence.of("problem.cross-site", header), Sentence.of("remedy.cross-site"));
    }

    private boolean mayBeCalled(String host) {
        String name = name(host.strip().toLowerCase(Locale.ROOT));
        return IPV4.matcher(name).matches()
                || IPV6.matcher(name).matches()
                || name.equals("localhost")
                || name.endsWith(".localhost")
                || allowedHosts.contains(name);
    }

    private static boolean isOwn(String origin, @Nullable String host) {
        if (host == null) {
            return false;
        }
        try {
            URI uri = URI.create(origin);
            int given = uri.getPort();
            int port = given >= 0 ? given : "https".equals(uri.getScheme()) ? 443 : 80;
            String own = host.strip().toLowerCase(Locale.ROOT);
            String name = name(own);
            // Behind a proxy that terminates TLS, the host has no port and the origin's port is 443.
            boolean samePort = own.length() > name.length() ? own.equals(name + ":" + port) : port == 80 || port == 443;
            return uri.getHost() != null && name.equals(uri.getHost().toLowerCase(Locale.ROOT)) && samePort;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns the host without its port. */
    private static String name(String host) {
        int colon = host.lastIndexOf(':');
        return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
    }

    private static String shown(String text) {
        String printable = text.replaceAll("[^\\x20-\\x7e]", "?");
        return printable.length() > 100 ? printable.substring(0, 100) + "…" : printable;
    }
}
