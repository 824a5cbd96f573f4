package dev.tandem.runtime.targets;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;

/** The use for which an IP address is reserved. Only public ones can be connected to without being listed. */
enum AddressKind {
    PUBLIC("public"),
    LOOPBACK("a loopback"),
    PRIVATE("a private"),
    LINK_LOCAL("a link-local"),
    MULTICAST("a multicast"),
    /** An IPv6 address that stands for one of IPv4, which a translator or a tunnel reaches: it may be any of the others. */
    TRANSLATED("a translated"),
    /** Unspecified, for documentation, for benchmarks, not assigned. */
    RESERVED("a reserved");

    /** The first range that fits counts. */
    private static final List<Map.Entry<AddressRange, AddressKind>> IPV4 = List.of(
            entry("127.0.0.0/8", LOOPBACK),
            entry("10.0.0.0/8", PRIVATE),
            entry("172.16.0.0/12", PRIVATE),
            entry("192.168.0.0/16", PRIVATE),
            entry("100.64.0.0/10", PRIVATE),
            entry("169.254.0.0/16", LINK_LOCAL),
            entry("224.0.0.0/4", MULTICAST),
            entry("192.88.99.0/24", TRANSLATED),
            entry("0.0.0.0/8", RESERVED),
            entry("192.0.0.0/24", RESERVED),
            entry("192.0.2.0/24", RESERVED),
            entry("198.18.0.0/15", RESERVED),
            entry("198.51.100.0/24", RESERVED),
            entry("203.0.113.0/24", RESERVED),
            entry("240.0.0.0/4", RESERVED),
            entry("0.0.0.0/0", PUBLIC));

    private static final List<Map.Entry<AddressRange, AddressKind>> IPV6 = List.of(
            entry("::1", LOOPBACK),
            entry("fc00::/7", PRIVATE),
            entry("fec0::/10", PRIVATE),
            entry("fe80::/10", LINK_LOCAL),
            entry("ff00::/8", MULTICAST),
            entry("2002::/16", TRANSLATED),
            entry("2001::/32", TRANSLATED),
            entry("64:ff9b::/96", TRANSLATED),
            entry("64:ff9b:1::/48", TRANSLATED),
            entry("2001::/23", RESERVED),
            entry("2001:db8::/32", RESERVED),
            entry("3fff::/20", RESERVED),
            entry("2000::/3", PUBLIC),
            entry("::/0", RESERVED));

    private final String text;

    AddressKind(String text) {
        this.text = text;
    }

    private static Map.Entry<AddressRange, AddressKind> entry(String range, AddressKind kind) {
        return Map.entry(AddressRange.of(range), kind);
    }

    /** Java gives IPv4 addresses that are mapped to IPv6 as those of IPv4. */
    static AddressKind of(InetAddress address) {
        for (Map.Entry<AddressRange, AddressKind> each : address.getAddress().length == 4 ? IPV4 : IPV6) {
            if (each.getKey().contains(address)) {
                return each.getValue();
            }
        }
        return RESERVED;
    }

    /** Whether a listed name is enough to reach it. The others are where clouds keep credentials, or nobody's. */
    boolean canBeNamed() {
        return this == LOOPBACK || this == PRIVATE;
    }

    /** Returns for example "a private". */
    @Override
    public String toString() {
        return text;
    }
}
