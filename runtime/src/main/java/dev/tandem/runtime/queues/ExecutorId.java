package dev.tandem.runtime.queues;

import dev.tandem.runtime.settings.TandemSettings.ExecutorSettings;
import dev.tandem.scheduler.Presence;

/** Names this process, so that people can find it. */
final class ExecutorId {

    private ExecutorId() {}

    static String of(ExecutorSettings settings) {
        return settings.id().isEmpty()
                ? Presence.localHost() + "-" + ProcessHandle.current().pid()
                : settings.id();
    }
}
