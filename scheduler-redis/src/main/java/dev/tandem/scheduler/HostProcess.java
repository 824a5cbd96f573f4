package dev.tandem.scheduler;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A process of a Linux host, so that another process there can tell whether it is gone. Immutable.
 *
 * @param host the boot of the host, its name and the process's namespaces; process ids are unique within
 * @param pid the process id
 * @param startTicks when the process was started, in ticks of the kernel's clock: ids are used again
 */
record HostProcess(String host, long pid, long startTicks) {

    private static final Path PROC = Path.of("/proc");

    // Of /proc/<pid>/stat, counted after the name, which ends with a parenthesis.
    private static final int STATE = 0;
    private static final int THREADS = 17;
    private static final int START_TICKS = 19;

    /** Returns this process. None where the kernel tells too little to be certain about other processes. */
    static Optional<HostProcess> current() {
        return current(PROC);
    }

    static Optional<HostProcess> current(Path proc) {
        try {
            long pid = ProcessHandle.current().pid();
            if (hidesProcesses(proc) || !isOwnNamespace(proc, pid)) {
                return Optional.empty();
            }
            String boot = read(proc.resolve("sys/kernel/random/boot_id")).strip();
            String name = read(proc.resolve("sys/kernel/hostname")).strip();
            String host = boot + "/" + name + "/" + namespace(proc, "pid") + "/" + namespace(proc, "time");
            return Optional.of(new HostProcess(host, pid, startTicks(fields(proc, pid))));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /** Returns whether {@code /proc} leaves out processes, which would then only seem to be gone. */
    private static boolean hidesProcesses(Path proc) throws IOException {
        return read(proc.resolve("self/mounts"))
                .lines()
                .map(line -> line.split(" "))
                .filter(mount -> mount.length > 3 && mount[1].equals("/proc"))
                .anyMatch(mount -> List.of(mount[3].split(",")).stream()
                        .anyMatch(option -> option.startsWith("hidepid=") && !option.matches("hidepid=(0|off)")));
    }

    /** Returns whether {@code /proc} shows the processes of this process's own namespace. */
    private static boolean isOwnNamespace(Path proc, long pid) throws IOException {
        String ids = read(proc.resolve("self/status"))
                .lines()
                .filter(line -> line.startsWith("NSpid:"))
                .findFirst()
                .orElse("");
        return ids.substring(ids.indexOf(':') + 1).strip().equals(Long.toString(pid));
    }

    /** Returns the identity of a namespace, such as {@code pid:[4026531836]}; "" if the kernel has none of the kind. */
    private static String namespace(Path proc, String kind) throws IOException {
        Path link = proc.resolve("self/ns").resolve(kind);
        return kind.equals("time") && !Files.isSymbolicLink(link)
                ? ""
                : Files.readSymbolicLink(link).toString();
    }

    /**
     * Returns whether this process is certainly gone, as seen by a process of the same host. False if anything is in doubt.
     */
    boolean isGone(HostProcess observer) {
        // If the observer cannot see itself, it sees nothing.
        return host.equals(observer.host) && isGone(PROC) && current().equals(Optional.of(observer));
    }

    boolean isGone(Path proc) {
        try {
            String[] now = fields(proc, pid);
            boolean over = now[STATE].matches("[ZXx]") && Integer.parseInt(now[THREADS]) <= 1;
            return over || startTicks(now) != startTicks;
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static String[] fields(Path proc, long pid) throws IOException {
        String stat = read(proc.resolve(Long.toString(pid)).resolve("stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    }

    private static long startTicks(String[] fields) {
        return Long.parseLong(fields[START_TICKS]);
    }

    private static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
