package dev.tandem.runtime.targets;

import java.util.List;
import java.util.Optional;

/** Some ranges of IP addresses, such as {@code 10.0.0.0/8} or a single address. No name is ever resolved here. */
public final class AddressRanges {

    private final List<AddressRange> ranges;

    /** @throws IllegalArgumentException if one is no {@linkplain #isRange range} */
    public AddressRanges(List<String> ranges) {
        this.ranges = ranges.stream().map(AddressRange::of).toList();
    }

    /** Whether the text is an address, or a range without bits behind its prefix. */
    public static boolean isRange(String text) {
        return AddressRange.parse(text).isPresent();
    }

    /** Whether an address is in one of them; false if the text is no address. */
    public boolean contains(String address) {
        // The name of an interface, as in fe80::1%eth0, is no part of the address.
        int zone = address.indexOf('%');
        return Optional.of(zone < 0 ? address : address.substring(0, zone))
                .flatMap(AddressRange::address)
                .filter(parsed -> ranges.stream().anyMatch(range -> range.contains(parsed)))
                .isPresent();
    }
}
