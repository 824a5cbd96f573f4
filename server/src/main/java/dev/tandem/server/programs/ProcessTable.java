package dev.tandem.server.programs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The processes of the machine, as {@code /proc} has them. Linux only. Thread-safe. */
final class ProcessTable {

    private static final Path PROC = Path.of("/proc");

    /** What stands behind the name in {@code /proc/PID/stat}, counted from 0. */
    private static final int STATE = 0;

    private static final int SESSION = 3;
    private static final int START = 19;

    private final AtomicLong looks = new AtomicLong();

    /** Returns how often all processes were looked at. */
    long looks() {
        return looks.get();
    }

    /** Returns when a process started, in ticks; 0 if it is no more. */
    long start(long pid) {
        String[] stat = stat(PROC.resolve(Long.toString(pid)));
        return stat == null ? 0 : Long.parseLong(stat[START]);
    }

    /**
     * Returns those that live and are of a session, or have a mark in their environment.
     *
     * @param since no process that has started before has the mark
     */
    List<ProcessHandle> find(long session, byte[] mark, long since) throws IOException {
        looks.incrementAndGet();
        List<ProcessHandle> found = new ArrayList<>();
        long self = ProcessHandle.current().pid();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (pid != self && belongs(process, session, mark, since)) {
                    ProcessHandle.of(pid).filter(ProcessHandle::isAlive).ifPresent(found::add);
                }
            }
        }
        return found;
    }

    private static boolean belongs(Path process, long session, byte[] mark, long since) {
        String[] stat = stat(process);
        if (stat == null || stat[STATE].equals("Z")) {
            return false;
        }
        // To read an environment takes longer, and most processes are older than the program.
        return Long.parseLong(stat[SESSION]) == session
                || Long.parseLong(stat[START]) >= since && contains(read(process.resolve("environ")), mark);
    }

    private static String @Nullable [] stat(Path process) {
        byte[] bytes = read(process.resolve("stat"));
        if (bytes.length == 0) {
            return null;
        }
        String stat = new String(bytes, StandardCharsets.ISO_8859_1);
        // The name of the program may have spaces and parentheses.
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
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

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            // It has ended, or belongs to somebody else.
            return new byte[0];
        }
    }
}
