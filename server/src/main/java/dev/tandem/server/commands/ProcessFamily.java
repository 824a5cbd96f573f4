package dev.tandem.server.commands;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A program that runs, and all processes that it has started: those of its session, which is its own, and those that have left it
 * but still have the mark in their environment. Linux only.
 */
final class ProcessFamily {

    private static final Path PROC = Path.of("/proc");
    private static final long LOOK_MILLIS = 20;
    /** How long it may take until processes that were killed are gone. */
    private static final Duration GONE = Duration.ofSeconds(2);
    /** What stands behind the name in {@code /proc/PID/stat}, up to the session. */
    private static final int SESSION = 3;

    private final Process program;
    private final long leader;
    private final byte[] mark;

    /** @param mark a variable with its value, which only this program has in its environment */
    ProcessFamily(Process program, String mark) {
        this.program = program;
        this.leader = program.pid();
        this.mark = mark.getBytes(StandardCharsets.UTF_8);
    }

    /** Asks all to end, and kills those that have not ended by then, and what they have started meanwhile. */
    void end(Duration patience) {
        all().forEach(ProcessHandle::destroy);
        if (!awaitNone(patience)) {
            kill();
        }
    }

    /** Kills what is left, without asking. */
    void kill() {
        long due = System.nanoTime() + GONE.toNanos();
        for (List<ProcessHandle> left = all(); !left.isEmpty() && System.nanoTime() < due; left = all()) {
            left.forEach(ProcessHandle::destroyForcibly);
            pause();
        }
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
        long self = ProcessHandle.current().pid();
        Predicate<Path> belongs = process -> isOfTheSession(process) || hasTheMark(process);
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(
                PROC, path -> path.getFileName().toString().matches("\\d+"))) {
            for (Path process : processes) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (pid != self && belongs.test(process)) {
                    ProcessHandle.of(pid).filter(ProcessHandle::isAlive).ifPresent(found::add);
                }
            }
        } catch (IOException e) {
            program.toHandle().descendants().forEach(found::add);
        }
        if (program.isAlive() && found.stream().noneMatch(each -> each.pid() == leader)) {
            found.add(program.toHandle());
        }
        return found;
    }

    private boolean isOfTheSession(Path process) {
        return read(process.resolve("stat"))
                .map(bytes -> new String(bytes, StandardCharsets.ISO_8859_1))
                // The name of the program may have spaces and parentheses.
                .map(stat -> stat.substring(stat.lastIndexOf(')') + 2).split(" "))
                .filter(fields -> !fields[0].equals("Z"))
                .map(fields -> Long.parseLong(fields[SESSION]) == leader)
                .orElse(false);
    }

    private boolean hasTheMark(Path process) {
        return read(process.resolve("environ"))
                .map(bytes -> contains(bytes, mark))
                .orElse(false);
    }

    private static boolean contains(byte[] text, byte[] part) {
        for (int i = 0; i + part.length <= text.length; i++) {
            int length = 0;
            while (length < part.length && text[i + length] == part[length]) {
                length++;
            }
            if (length == part.length) {
                return true;
            }
        }
        return false;
    }

    private static Optional<byte[]> read(Path file) {
        try {
            return Optional.of(Files.readAllBytes(file));
        } catch (IOException e) {
            // It has ended, or belongs to somebody else.
            return Optional.empty();
        }
    }
}
