package dev.tandem.server.credentials;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The files with tokens of a user, one for each server, which only that user can read. A server writes its first token there,
 * and so does {@code tandem login}.
 */
public final class TokenFiles {

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNERS_FOLDER = PosixFilePermissions.fromString("rwx------");
    /** Belongs to this user, also to one without a name. */
    private static final Path THIS_PROCESS = Path.of("/proc/self");

    private static final int MAX_LENGTH = 4_096;

    private TokenFiles() {}

    /** Returns the folder of the user's files. @param environment gives the value of a variable; null if it is not set */
    public static Path folder(UnaryOperator<@Nullable String> environment) {
        String config = environment.apply("XDG_CONFIG_HOME");
        Path base = config == null || config.isBlank()
                ? Path.of(System.getProperty("user.home", "."), ".config")
                : Path.of(config);
        return base.resolve("tandem").resolve("tokens");
    }

    /** Returns the file for a server. All names of this machine's loopback have the same one. */
    public static Path file(Path folder, URI server) {
        String name = isLoopback(server) ? "localhost" : host(server).replaceAll("[^a-z0-9.-]", "_");
        int port = server.getPort() >= 0 ? server.getPort() : "https".equals(server.getScheme()) ? 443 : 80;
        return folder.resolve(name + "_" + port);
    }

    /** Whether an address is this machine's own, by its usual names. */
    public static boolean isLoopback(URI server) {
        return Set.of("localhost", "127.0.0.1", "[::1]").contains(host(server));
    }

    private static String host(URI server) {
        return String.valueOf(server.getHost()).toLowerCase(Locale.ROOT);
    }

    /**
     * Reads a token.
     *
     * @return empty if there is no such file
     * @throws IOException if it cannot be read, or others than its owner can read it
     */
    public static Optional<String> read(Path file) throws IOException {
        byte[] bytes;
        try {
            refuseIfOpen(file);
            if (Files.size(file) > MAX_LENGTH) {
                throw new IOException("The file " + file + " is too long for a token");
            }
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        String token = new String(bytes, StandardCharsets.UTF_8).strip();
        return token.isEmpty() ? Optional.empty() : Optional.of(token);
    }

    private static void refuseIfOpen(Path file) throws IOException {
        if (!isPosix(file)) {
            return;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (permissions.contains(PosixFilePermission.GROUP_READ)
                || permissions.contains(PosixFilePermission.OTHERS_READ)) {
            throw new IOException("others can read it too: run chmod 600 " + file);
        }
    }

    /** Returns whether others than the owner may change a file, or what is in a folder. False where that cannot be told. */
    public static boolean mayOthersWrite(Path file) {
        try {
            if (!isPosix(file)) {
                return false;
            }
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            return permissions.contains(PosixFilePermission.GROUP_WRITE)
                    || permissions.contains(PosixFilePermission.OTHERS_WRITE);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Returns whether a file belongs to somebody else than this user and root, who may give themselves all rights to it. False where
     * that cannot be told.
     */
    public static boolean isOfAnother(Path file) {
        try {
            if (!isPosix(file)) {
                return false;
            }
            UserPrincipal owner = Files.getOwner(file);
            return !List.of("root", "0", System.getProperty("user.name", "")).contains(owner.getName())
                    && !(Files.exists(THIS_PROCESS)
                            && Files.getOwner(THIS_PROCESS).equals(owner));
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isPosix(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Writes a token whole or not at all, so that only the user can read it. Makes the folder if it is missing. */
    public static void write(Path file, String token) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        boolean posix = isPosix(file);
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder, posix ? attributes(OWNERS_FOLDER) : new FileAttribute<?>[0]);
        }
        Path fresh =
                Files.createTempFile(folder, ".token", "", posix ? attributes(OWNER_ONLY) : new FileAttribute<?>[0]);
        try {
            Files.writeString(fresh, token + "\n");
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static FileAttribute<?>[] attributes(Set<PosixFilePermission> permissions) {
        return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)};
    }
}
