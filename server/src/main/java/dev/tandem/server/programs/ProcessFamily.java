package dev.tandem.server.programs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that runs, and all processes that it has started: those of its session, which is its own, and those that have left it
 * but still have the mark in their environment. Linux only.
 */
final class ProcessFamily {

    private static final long LOOK_MILLIS = 20;
    /** How long it may take until processes that were killed are gone. */
    private static final Duration GONE = Duration.ofSeconds(2);

    private final ProcessTable processes;
    private final Process program;
    private final long leader;
    private final long since;
    private final byte[] mark;

    /** @param mark a variable with its value, which only this program has in its environment */
    ProcessFamily(ProcessTable processes, Process program, String mark) {
        this.processes = processes;
        this.program = program;
        this.leader = program.pid();
        this.since = processes.start(leader);
        this.mark = mark.getBytes(StandardCharsets.UTF_8);
    }

    /** Asks all to end, and kills those that have not ended by then, and what they have started meanwhile. */
    void end(Duration patience) {
        List<ProcessHandle> left = all();
        left.forEach(ProcessHandle::destroy);
        if (!left.isEmpty() && !awaitNone(patience)) {
            kill();
        }
    }

    /** Kills what is left, without asking. @return whether nothing is left */
    boolean kill() {
        long due = System.nanoTime() + GONE.toNanos();
        List<ProcessHandle> left = all();
        while (!left.isEmpty() && System.nanoTime() < due) {
            left.forEach(ProcessHandle::destroyForcibly);
            pause();
            left = all();
        }
        return left.isEmpty();
    }

    private boolean awaitNone(Duration patience) {
        long due = System.nanoTime() + patience.toNanos();
        while (!all().isEmpty()) {
            if (System.nanoTime() >= due) {
                return false;
            }
            pause();
        }
        return true;
    }

    private static void pause() {
        // The thread may be interrupted: that is why the program is to end.
        boolean interrupted = Thread.interrupted();
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns those that live. */
    List<ProcessHandle> all() {
        List<ProcessHandle> found = new ArrayList<>();
        try {
            found.addAll(processes.find(leader, mark, since));
        } catch (IOException e) {
            program.toHandle().descendants().forEach(found::add);
        }
        if (program.isAlive() && found.stream().noneMatch(each -> each.pid() == leader)) {
            found.add(program.toHandle());
        }
        return found;
    }
}
