package dev.tandem.runtime.settings;

import java.util.Set;
import java.util.TreeSet;

/** The task types of the hosted handlers. */
public final class HostedTypes {

    public static final String HTTP = "http";
    /** The handler of queues whose tasks run a listed program. */
    public static final String CMD = "cmd";

    public static final String LOG = "log";
    public static final String NOOP = "noop";
    /** The handler of queues whose tasks are leased by programs in any language. */
    public static final String PULL = "pull";

    /** Exists only in the servers of {@code ./tandem demo}, where {@code tandem.demo.events} is set. */
    public static final String DEMO = "demo";

    private HostedTypes() {}

    public static Set<String> of(TandemSettings.DemoSettings demo) {
        Set<String> types = new TreeSet<>(Set.of(CMD, HTTP, LOG, NOOP, PULL));
        if (!demo.events().isEmpty()) {
            types.add(DEMO);
        }
        return types;
    }
}
