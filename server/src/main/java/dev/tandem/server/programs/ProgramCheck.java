package dev.tandem.server.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks, at the start, that nobody else can put another program into a program's place. Follows the path as Linux does, and
 * checks each folder, each link and what is behind it: the program is started by its path, since some go by their name.
 */
final class ProgramCheck {

    private static final int STICKY = 01000;
    private static final int WRITE_GROUP = 020;
    private static final int WRITE_OTHERS = 02;
    /** The user, and the group. */
    private static final int ROOT = 0;
    /** As many as Linux follows. */
    private static final int MOST_LINKS = 40;

    private final int self;

    private ProgramCheck(int self) {
        this.self = self;
    }

    /** @param self the user id of this process. @return what is wrong; null if nothing is */
    static @Nullable String problem(String program, int self) {
        try {
            return new ProgramCheck(self).follow(Path.of(program));
        } catch (IOException e) {
            return "it cannot be read: " + e;
        }
    }

    private @Nullable String follow(Path program) throws IOException {
        Deque<Path> left = new ArrayDeque<>();
        program.forEach(left::addLast);
        Path at = program.getRoot();
        String problem = folder(at);
        for (int links = 0; problem == null && !left.isEmpty(); ) {
            Path next = next(at, left.removeFirst());
            if (Files.isSymbolicLink(next)) {
                problem = ++links > MOST_LINKS ? "there are too many links" : owner(next);
                Path target = Files.readSymbolicLink(next);
                at = target.isAbsolute() ? target.getRoot() : at;
                prepend(target, left);
            } else {
                at = next;
                problem = Files.isDirectory(at) ? folder(at) : owner(at);
            }
        }
        return problem == null ? file(at) : problem;
    }

    private static Path next(Path at, Path name) {
        return switch (name.toString()) {
            case "", "." -> at;
            case ".." -> at.getParent() == null ? at : at.getParent();
            default -> at.resolve(name);
        };
    }

    private static void prepend(Path path, Deque<Path> left) {
        for (int i = path.getNameCount() - 1; i >= 0; i--) {
            left.addFirst(path.getName(i));
        }
    }

    private @Nullable String owner(Path path) throws IOException {
        int owner = (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        return owner == ROOT || owner == self
                ? null
                : path + " belongs to the user " + owner + ", who could replace it: give it to root";
    }

    private @Nullable String folder(Path folder) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(folder, "unix:gid,mode");
        int mode = (Integer) attributes.get("mode");
        // In a folder such as /tmp nobody can replace what belongs to somebody else.
        boolean sticky = (mode & STICKY) != 0;
        if ((mode & WRITE_OTHERS) != 0 && !sticky) {
            return "others can replace what is in " + folder + ": chmod o-w it";
        }
        int group = (Integer) attributes.get("gid");
        // Not even the server's own group: on many machines all users are in one.
        if ((mode & WRITE_GROUP) != 0 && !sticky && group != ROOT) {
            return "the group " + group + " can replace what is in " + folder + ": chmod g-w it";
        }
        return owner(folder);
    }

    private static @Nullable String file(Path file) throws IOException {
        if (!Files.isRegularFile(file) || !Files.isExecutable(file)) {
            return "it is no file that can be executed";
        }
        int mode = (Integer) Files.getAttribute(file, "unix:mode");
        return (mode & (WRITE_GROUP | WRITE_OTHERS)) == 0 ? null : file + " can be written by others: chmod go-w it";
    }
}
