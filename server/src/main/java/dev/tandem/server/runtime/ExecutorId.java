package dev.tandem.server.runtime;

import dev.tandem.server.settings.TandemSettings.ExecutorSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** A name for this process that people can find it by. */
final class ExecutorId {

    private ExecutorId() {}

    static String of(ExecutorSettings settings) {
        return settings.id().isEmpty() ? host() + "-" + ProcessHandle.current().pid() : settings.id();
    }

    /** Of this machine, or a stand-in. */
    static String host() {
        try {
            String host = InetAddress.getLocalHost().getHostName().split("\\.", 2)[0];
            return host.matches("[A-Za-z0-9_-]{1,60}") ? host : "executor";
        } catch (UnknownHostException e) {
            return "executor";
        }
    }
}
