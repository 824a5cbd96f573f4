package dev.tandem.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a broker runs.
 *
 * @param port for clients, on 127.0.0.1
 * @param home for settings and logs
 * @param data for what it keeps, below home
 * @param temporary whether the data is thrown away at the end
 */
record Place(int port, Path home, Path data, boolean temporary) {

    /**
     * Makes the folders.
     *
     * @param port 0 for a free one
     * @param folder null for a temporary one
     */
    static Place of(String name, int port, @Nullable Path folder) {
        int number = port != 0 ? port : Ports.reserve();
        Path home = folder != null ? folder.toAbsolutePath() : Folders.fresh(name + "-" + number);
        Path data = home.resolve("data");
        if (folder == null) {
            Folders.deleteAtEnd(data);
        }
        try {
            Files.createDirectories(data);
        } catch (IOException e) {
            throw new LocalException("The folder " + data + " for " + name + " cannot be made: " + e, e);
        }
        return new Place(number, home, data, folder == null);
    }

    /** Writes a file of settings into home. */
    Path write(String name, String content) {
        Path file = home.resolve(name);
        try {
            return Files.writeString(file, content);
        } catch (IOException e) {
            throw new LocalException("Settings cannot be written to " + file + ": " + e, e);
        }
    }

    LocalProcess build(LocalProcess.Builder builder) {
        builder.directory(home);
        return (temporary ? builder.disposable() : builder).build();
    }
}
