package dev.tandem.server.runtime;

import dev.tandem.server.settings.TandemSettings.ExecutorSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Names this process, so that people can find it. */
final class ExecutorId {

    private ExecutorId() {}

    static String of(ExecutorSettings settings) {
        return settings.id().isEmpty() ? host() + "-" + ProcessHandle.current().pid() : settings.id();
    }

    /** Returns this machine's name, or {@code executor} if it has none that is usable. */
    static String host() {
        try {
            String host = InetAddress.getLocalHost().getHostName().split("\\.", 2)[0];
            return host.matches("[A-Za-z0-9_-]{1,60}") ? host : "executor";
        } catch (UnknownHostException e) {
            return "executor";
        }
    }
}
