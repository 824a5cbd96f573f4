package dev.tandem.task;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The headers in which the platform itself keeps what it knows of a task. No publisher can set them, and no handler sees them. */
public final class PlatformHeaders {

    private static final Set<String> ALL = Set.of(
            AttemptHistory.HEADER,
            FannedOut.HEADER,
            PutAside.HEADER,
            RetriedByOperator.HEADER,
            UnhandledSince.HEADER,
            UnhandledSince.NEXT_HEADER,
            WaitReason.HEADER);

    private PlatformHeaders() {}

    /** Returns whether a header is one of these. */
    static boolean contains(String name) {
        return ALL.contains(name);
    }

    /** Returns the headers that a handler and a person see. */
    public static Map<String, String> without(Map<String, String> headers) {
        if (headers.isEmpty() || ALL.stream().noneMatch(headers::containsKey)) {
            return headers;
        }
        Map<String, String> visible = new LinkedHashMap<>(headers);
        visible.keySet().removeAll(ALL);
        return visible;
    }
}
