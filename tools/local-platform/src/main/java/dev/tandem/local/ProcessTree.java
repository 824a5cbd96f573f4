package dev.tandem.local;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process with all processes that it started. */
final class ProcessTree {

    private final Process root;
    private final String name;

    /** @param name for messages */
    ProcessTree(Process root, String name) {
        this.root = root;
        this.name = name;
    }

    /** Sends SIGKILL to all of them, and waits for the root to be gone. */
    void kill(Duration limit) {
        members().forEach(ProcessHandle::destroyForcibly);
        awaitEnd(limit);
    }

    /** Sends a signal, such as {@code STOP}, to all of them. */
    void signal(String signal) {
        List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
        members().forEach(member -> command.add(Long.toString(member.pid())));
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new LocalException("SIG" + signal + " could not be sent to " + name + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalException("Interrupted while SIG" + signal + " was sent to " + name, e);
        }
    }

    /** Waits for the root to end. Returns false when the time is up first. */
    boolean awaitEnd(Duration limit) {
        try {
            return root.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !root.isAlive();
        }
    }

    private List<ProcessHandle> members() {
        return Stream.concat(Stream.of(root.toHandle()), root.descendants()).toList();
    }
}
