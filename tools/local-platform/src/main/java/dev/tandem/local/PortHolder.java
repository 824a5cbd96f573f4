package dev.tandem.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Says which program listens on a port of this machine, for messages. Linux tells it; other systems have commands for it. */
public final class PortHolder {

    private static final Path PROC = Path.of("/proc");

    /** The state of a listening socket in {@code /proc/net/tcp}. */
    private static final String LISTENS = "0A";

    private PortHolder() {}

    /**
     * Returns the end of a sentence such as {@code Port 6379 is taken by redis-server (pid 4711)}, beginning with
     * {@code by}. If the program cannot be found, it says how to find it.
     */
    public static String describe(int port) {
        return describe(port, PROC, System.getProperty("os.name", ""));
    }

    static String describe(int port, Path proc, String system) {
        if (!system.toLowerCase(Locale.ROOT).contains("linux")) {
            return "by a program that 'lsof -nP -iTCP:" + port + " -sTCP:LISTEN' shows";
        }
        Set<String> sockets = sockets(port, proc);
        if (sockets.isEmpty()) {
            return "by a program that is about to start or to end";
        }
        return find(sockets, proc)
                .map(found -> "by " + found)
                .orElse("by a program of another user, or in a container: 'sudo ss -ltnp sport = :" + port
                        + "' shows it");
    }

    /** Returns the links that a process has in place of its sockets that listen on the port. */
    private static Set<String> sockets(int port, Path proc) {
        Set<String> sockets = new HashSet<>();
        String end = String.format(Locale.ROOT, ":%04X", port);
        for (String table : List.of("net/tcp", "net/tcp6")) {
            for (String line : lines(proc.resolve(table))) {
                String[] columns = line.strip().split("\\s+");
                if (columns.length > 9 && columns[1].endsWith(end) && columns[3].equals(LISTENS)) {
                    sockets.add("socket:[" + columns[9] + "]");
                }
            }
        }
        return sockets;
    }

    private static Optional<String> find(Set<String> sockets, Path proc) {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                if (holds(process, sockets)) {
                    return Optional.of(name(process) + " (pid " + process.getFileName() + ")");
                }
            }
        } catch (IOException e) {
            // Says how to find it.
        }
        return Optional.empty();
    }

    private static boolean holds(Path process, Set<String> sockets) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path file : files) {
                if (isOneOf(file, sockets)) {
                    return true;
                }
            }
        } catch (IOException e) {
            // It has ended, or belongs to another user.
        }
        return false;
    }

    private static boolean isOneOf(Path file, Set<String> sockets) {
        try {
            return Files.isSymbolicLink(file)
                    && sockets.contains(Files.readSymbolicLink(file).toString());
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    /** Returns the program's name, and the main class of a Java program. Other arguments may hold secrets. */
    private static String name(Path process) {
        List<String> command =
                List.of(String.join("", lines(process.resolve("cmdline"))).split("\0"));
        String program = command.get(0).isEmpty()
                ? String.join("", lines(process.resolve("comm")))
                : command.get(0).substring(command.get(0).lastIndexOf('/') + 1);
        return program.equals("java") ? program + mainClass(command) : program;
    }

    private static String mainClass(List<String> command) {
        for (int i = 1; i < command.size(); i++) {
            String argument = command.get(i);
            if (Set.of("-cp", "-classpath", "--class-path", "-p", "--module-path")
                    .contains(argument)) {
                i++;
            } else if (argument.equals("-jar") && i + 1 < command.size()) {
                return " -jar " + command.get(i + 1);
            } else if (!argument.startsWith("-")) {
                return argument.matches("[\\p{Alnum}_.$/]+") ? " " + argument : "";
            }
        }
        return "";
    }

    private static List<String> lines(Path file) {
        try {
            return List.of(new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\n"));
        } catch (IOException e) {
            return List.of();
        }
    }
}
