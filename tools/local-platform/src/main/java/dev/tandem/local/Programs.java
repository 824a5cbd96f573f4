package dev.tandem.local;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Programs that are installed on this machine. */
final class Programs {

    private Programs() {}

    /** The first of these names that is on the PATH, or below the folders where packages put servers. */
    static Optional<Path> find(String... names) {
        String path = System.getenv().getOrDefault("PATH", "")
                + File.pathSeparator
                + String.join(
                        File.pathSeparator, "/usr/local/sbin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin");
        return Stream.of(names)
                .flatMap(name -> Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                        .splitAsStream(path)
                        .filter(folder -> !folder.isBlank())
                        .map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
