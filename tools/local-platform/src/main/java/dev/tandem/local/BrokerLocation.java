package dev.tandem.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The port and the folders of a broker.
 *
 * @param port for clients, on 127.0.0.1
 * @param home the folder for settings and logs
 * @param data the folder for what the broker keeps, below home
 * @param temporary whether the data is deleted at the end
 */
record BrokerLocation(int port, Path home, Path data, boolean temporary) {

    /**
     * Creates the folders.
     *
     * @param port 0 for a free one
     * @param folder null for a temporary one
     */
    static BrokerLocation create(String name, int port, @Nullable Path folder) {
        int number = port != 0 ? port : PortReservations.reserve();
        Path home = folder != null ? folder.toAbsolutePath() : ProcessFolders.create(name + "-" + number);
        Path data = home.resolve("data");
        if (folder == null) {
            ProcessFolders.deleteAtEnd(data);
        }
        try {
            Files.createDirectories(data);
        } catch (IOException e) {
            throw new LocalException("The folder " + data + " for " + name + " cannot be created: " + e, e);
        }
        return new BrokerLocation(number, home, data, folder == null);
    }

    /** Writes a file of settings into the home folder. */
    Path write(String name, String content) {
        Path file = home.resolve(name);
        try {
            return Files.writeString(file, content);
        } catch (IOException e) {
            throw new LocalException("The settings cannot be written to " + file + ": " + e, e);
        }
    }

    /** Builds a process that runs in the home folder. */
    LocalProcess build(LocalProcess.Builder builder) {
        builder.directory(home);
        return (temporary ? builder.disposable() : builder).build();
    }
}
