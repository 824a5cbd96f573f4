package dev.tandem.runtime.targets;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A range of IP addresses, such as {@code 10.0.0.0/8} or {@code fd00::/8}; a single address is a range too. No name is ever
 * resolved here.
 *
 * @param bytes the length of its addresses: 4 or 16
 */
record AddressRange(BigInteger first, int prefix, int bytes) {

    /** Strictly dotted decimals: other spellings, such as 0177.1 or 2130706433, mean different things to different programs. */
    private static final Pattern IPV4 = Pattern.compile("(?:(?:0|[1-9]\\d{0,2})\\.){3}(?:0|[1-9]\\d{0,2})");

    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

    /** Reads an address, without or with brackets around IPv6; empty if the text is none. */
    static Optional<InetAddress> address(String text) {
        boolean brackets = text.startsWith("[") && text.endsWith("]");
        String bare = brackets ? text.substring(1, text.length() - 1) : text;
        if (!(brackets ? IPV6 : Pattern.compile(IPV4 + "|" + IPV6))
                .matcher(bare)
                .matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.getByName(bare));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    /** Reads a range; empty if the text has another form, or if bits are set behind the prefix. */
    static Optional<AddressRange> parse(String text) {
        int slash = text.indexOf('/');
        Optional<InetAddress> address = address(slash < 0 ? text : text.substring(0, slash));
        if (address.isEmpty()) {
            return Optional.empty();
        }
        byte[] raw = address.get().getAddress();
        String length = slash < 0 ? "" + raw.length * 8 : text.substring(slash + 1);
        if (!length.matches("\\d{1,3}") || Integer.parseInt(length) > raw.length * 8) {
            return Optional.empty();
        }
        AddressRange range = new AddressRange(new BigInteger(1, raw), Integer.parseInt(length), raw.length);
        return range.contains(address.get()) && range.masked(range.first).equals(range.first)
                ? Optional.of(range)
                : Optional.empty();
    }

    /** Reads a range that is known to be one. */
    static AddressRange of(String text) {
        return parse(text).orElseThrow(() -> new IllegalArgumentException(text));
    }

    boolean contains(InetAddress address) {
        byte[] raw = address.getAddress();
        return raw.length == bytes && masked(new BigInteger(1, raw)).equals(masked(first));
    }

    private BigInteger masked(BigInteger address) {
        int host = bytes * 8 - prefix;
        return address.shiftRight(host).shiftLeft(host);
    }
}
