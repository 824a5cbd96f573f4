package dev.tandem.scheduler;

import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes records as text that is equal if they mean the same: bytes by value, lists without an order sorted. */
final class CanonicalText {

    /** Lists whose order has no meaning. */
    private static final Set<String> UNORDERED = Set.of(
            "Acquired.otherClaims",
            "Acquired.blocked",
            "Acquired.presentedTokens",
            "LeasesRenewed.opened",
            "KnownPositions.claims",
            "RedeliveryHistory.lapsed");

    /** Numbers that the store estimates. */
    private static final Set<String> ESTIMATED = Set.of("Custody.bytes");

    private CanonicalText() {}

    static String of(Object value) {
        if (value == null) {
            return "-";
        } else if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        } else if (value instanceof long[] numbers) {
            return java.util.Arrays.toString(numbers);
        } else if (value instanceof Map<?, ?> map) {
            return new TreeMap<>(map)
                    .entrySet().stream()
                            .map(entry -> entry.getKey() + "=" + of(entry.getValue()))
                            .collect(Collectors.joining(", ", "{", "}"));
        } else if (value instanceof Collection<?> list) {
            return list.stream().map(CanonicalText::of).collect(Collectors.joining(", ", "[", "]"));
        } else if (value instanceof Record each) {
            return Stream.of(each.getClass().getRecordComponents())
                    .map(component -> component.getName() + "=" + component(each, component))
                    .collect(Collectors.joining(", ", each.getClass().getSimpleName() + "(", ")"));
        }
        return value.toString();
    }

    private static String component(Record each, RecordComponent component) {
        try {
            component.getAccessor().setAccessible(true);
            Object value = component.getAccessor().invoke(each);
            String name = each.getClass().getSimpleName() + "." + component.getName();
            if (ESTIMATED.contains(name)) {
                return "about";
            }
            if (value instanceof List<?> list && UNORDERED.contains(name)) {
                return list.stream().map(CanonicalText::of).sorted().toList().toString();
            }
            return of(value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
