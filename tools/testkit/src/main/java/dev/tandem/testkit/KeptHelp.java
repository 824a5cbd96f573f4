package dev.tandem.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The help of programs as {@code ./tandem} shows it without a build, in {@code tools/help}. Tests compare it with what the
 * programs say; with {@code -Dhelp=write} they write it instead.
 */
public final class KeptHelp {

    private KeptHelp() {}

    /**
     * Returns what is kept for a command.
     *
     * @param said what its program says to {@code --help}
     */
    public static String of(String command, String said) {
        Path file = folder().resolve(command + ".txt");
        try {
            if ("write".equals(System.getProperty("help"))) {
                Files.createDirectories(file.getParent());
                Files.writeString(file, said);
            }
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the folder of the project that has the script. Tests run in the folders of their modules. */
    private static Path folder() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isRegularFile(folder.resolve("tandem"))) {
            folder = folder.getParent();
        }
        return folder.resolve("tools/help");
    }
}
