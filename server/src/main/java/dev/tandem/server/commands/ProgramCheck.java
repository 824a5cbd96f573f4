package dev.tandem.server.commands;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks, at the start, that nobody else can put another program into a program's place. */
final class ProgramCheck {

    private static final int STICKY = 01000;
    private static final int ROOT = 0;

    private ProgramCheck() {}

    /** @param self the user id of this process. @return what is wrong; null if nothing is */
    static @Nullable String problem(String program, int self) {
        try {
            Path path = Path.of(program).toRealPath();
            if (!Files.isRegularFile(path) || !Files.isExecutable(path)) {
                return "it is no file that can be executed";
            }
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
            if (permissions.contains(PosixFilePermission.OTHERS_WRITE)
                    || permissions.contains(PosixFilePermission.GROUP_WRITE)) {
                return path + " can be written by others: chmod go-w it";
            }
            for (Path each = path; each != null; each = each.getParent()) {
                String problem = problem(each, !each.equals(path), self);
                if (problem != null) {
                    return problem;
                }
            }
            return null;
        } catch (IOException e) {
            return "it cannot be read: " + e;
        }
    }

    private static @Nullable String problem(Path path, boolean folder, int self) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(path, "unix:uid,mode");
        int owner = (Integer) attributes.get("uid");
        int mode = (Integer) attributes.get("mode");
        if (owner != ROOT && owner != self) {
            return path + " belongs to the user " + owner + ", who could replace it: give it to root";
        }
        // In a folder such as /tmp nobody can replace what belongs to somebody else.
        boolean open = folder && (mode & 02) != 0 && (mode & STICKY) == 0;
        return open ? "others can replace what is in " + path + ": chmod o-w it" : null;
    }
}
