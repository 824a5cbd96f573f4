package dev.tandem.runtime.settings;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** JSON pointers (RFC 6901) to values that are masked, in which {@code *} stands for any member or element. */
public final class MaskPointer {

    /** The segment that stands for any other. */
    public static final String ANY = "*";

    static final int MOST = 50;

    private static final int LONGEST = 500;
    private static final int MOST_SEGMENTS = 30;

    private MaskPointer() {}

    /** Returns what is wrong with a pointer; null if nothing is. */
    static @Nullable String problem(String pointer) {
        if (!pointer.startsWith("/")) {
            return "it must be a JSON pointer, such as /card/number or /customers/*/email";
        }
        if (pointer.length() > LONGEST || segments(pointer).size() > MOST_SEGMENTS) {
            return "it must have at most " + MOST_SEGMENTS + " segments and " + LONGEST + " characters";
        }
        return pointer.matches("(?s).*~(?![01]).*") ? "a ~ is written as ~0, and a / in a name as ~1" : null;
    }

    /** Returns the names that lead to the value, from the outside. */
    public static List<String> segments(String pointer) {
        return Arrays.stream(pointer.substring(1).split("/", -1))
                .map(segment -> segment.replace("~1", "/").replace("~0", "~"))
                .toList();
    }
}
