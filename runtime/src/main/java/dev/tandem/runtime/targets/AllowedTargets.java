package dev.tandem.runtime.targets;

import java.net.InetAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that a queue's tasks may be posted to: public ones, and those that its settings list. What is checked is the
 * address that is connected to, whatever its name was resolved to before.
 */
public final class AllowedTargets {

    private static final String LOCALHOST = "localhost";
    private static final Pattern NAME =
            Pattern.compile("((?:\\*\\.)?[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*)(?::(\\d{1,5}))?");
    private static final Pattern UNCLEAR = Pattern.compile("(.*\\.)?(\\d+|0[xX][0-9a-fA-F]*)\\.?");
    private static final int ANY_PORT = -1;

    /** A host by its name. @param name in lower case; with a dot at its beginning, of all hosts below it */
    private record Name(String name, int port) {

        boolean matches(String host, int givenPort) {
            String given = host.toLowerCase(Locale.ROOT);
            return (port == ANY_PORT || port == givenPort)
                    && (name.startsWith(".") ? given.endsWith(name) : given.equals(name));
        }
    }

    private final List<Name> names = new ArrayList<>();
    private final List<AddressRange> ranges = new ArrayList<>();
    private final @Nullable InetAddress written;

    private AllowedTargets(@Nullable InetAddress written) {
        this.written = written;
    }

    /**
     * Reads a list.
     *
     * @param entries each a name, {@code *.} and the end of names, either with or without a port, an address, or a range of
     *     addresses
     * @param url written by whoever runs the server: an address in it is allowed, if it is a private or a loopback one
     * @throws IllegalArgumentException if an entry has another form
     */
    public static AllowedTargets of(List<String> entries, URI url) {
        AllowedTargets targets =
                new AllowedTargets(AddressRange.address(url.getHost()).orElse(null));
        for (String entry : entries) {
            Optional<AddressRange> range = AddressRange.parse(entry);
            if (range.isPresent()) {
                targets.ranges.add(range.get());
            } else {
                targets.names.add(
                        name(entry).orElseThrow(() -> new IllegalArgumentException("'" + entry + "' is no host")));
            }
        }
        return targets;
    }

    /** Whether an entry of the list can be read. */
    public static boolean isEntry(String entry) {
        return AddressRange.parse(entry).isPresent() || name(entry).isPresent();
    }

    private static Optional<Name> name(String entry) {
        Matcher parts = NAME.matcher(entry);
        if (!parts.matches() || isUnclear(parts.group(1))) {
            return Optional.empty();
        }
        String name = parts.group(1).toLowerCase(Locale.ROOT);
        int port = parts.group(2) == null ? ANY_PORT : Integer.parseInt(parts.group(2));
        return port == 0 || port > 65_535
                ? Optional.empty()
                : Optional.of(new Name(name.startsWith("*") ? name.substring(1) : name, port));
    }

    /**
     * Returns why an address must not be connected to; null if it may be.
     *
     * @param host the name, or the address, in the URL
     * @param address what it was resolved to
     */
    public @Nullable String refusal(String host, int port, InetAddress address) {
        AddressKind kind = AddressKind.of(address);
        if (kind == AddressKind.PUBLIC
                || ranges.stream().anyMatch(range -> range.contains(address))
                || kind.canBeNamed() && isNamed(host, port, address, kind)) {
            return null;
        }
        String what = address.getHostAddress() + " is " + kind + " address, which http.allow does not list";
        return AddressRange.address(host).isPresent()
                ? what
                : host + " was resolved to " + address.getHostAddress() + ": " + what;
    }

    private boolean isNamed(String host, int port, InetAddress address, AddressKind kind) {
        return address.equals(written)
                || kind == AddressKind.LOOPBACK && host.equalsIgnoreCase(LOCALHOST)
                || names.stream().anyMatch(name -> name.matches(host, port));
    }

    /** Whether a host is an address in a spelling that programs read differently, such as 0177.1 or 2130706433. */
    public static boolean isUnclear(String host) {
        return AddressRange.address(host).isEmpty() && UNCLEAR.matcher(host).matches();
    }

    /** Returns why the address in a URL must not be connected to; null if it may be, or the URL names a host. */
    public static @Nullable String refusalOf(URI url, List<String> entries) {
        return AddressRange.address(url.getHost())
                .map(address -> of(entries, url).refusal(url.getHost(), url.getPort(), address))
                .orElse(null);
    }
}
