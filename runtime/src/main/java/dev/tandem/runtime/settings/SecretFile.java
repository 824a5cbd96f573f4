package dev.tandem.runtime.settings;

import dev.tandem.task.FailureText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads a secret from a file, at each call, so that it can be exchanged while the program runs. */
public final class SecretFile {

    private static final int MAX_BYTES = 64 * 1024;

    private SecretFile() {}

    /**
     * Returns the content of the file, without the line break at its end.
     *
     * @param setting the setting that names the file
     * @throws IllegalStateException that names the setting, the file and the remedy
     */
    public static String read(String setting, String file) {
        try {
            Path path = Path.of(file);
            if (Files.size(path) > MAX_BYTES) {
                throw problem(setting, file, "it has more than " + MAX_BYTES + " bytes");
            }
            String text = Files.readString(path, StandardCharsets.UTF_8).replaceFirst("\\R\\z", "");
            if (text.isEmpty()) {
                throw problem(setting, file, "it is empty");
            }
            return text;
        } catch (NoSuchFileException e) {
            throw problem(setting, file, "there is no such file");
        } catch (IOException e) {
            throw problem(setting, file, "it cannot be read: " + FailureText.of(e));
        }
    }

    private static IllegalStateException problem(String setting, String file, String what) {
        return new PemFiles.PemException(setting, file, what);
    }
}
