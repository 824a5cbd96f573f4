package dev.tandem.server.settings;

import java.util.Set;
import java.util.TreeSet;

/** The names of the handlers that the server itself has. */
public final class HostedTypes {

    public static final String HTTP = "http";
    public static final String LOG = "log";
    public static final String NOOP = "noop";
    /** Only where {@code tandem.demo.events} is set. */
    public static final String DEMO = "demo";

    private HostedTypes() {}

    public static Set<String> of(TandemSettings.DemoSettings demo) {
        Set<String> types = new TreeSet<>(Set.of(HTTP, LOG, NOOP));
        if (!demo.events().isEmpty()) {
            types.add(DEMO);
        }
        return types;
    }
}
