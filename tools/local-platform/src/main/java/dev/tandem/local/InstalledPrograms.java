package dev.tandem.local;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Programs that are installed on this machine. */
final class InstalledPrograms {

    /** Folders where packages install servers, which may not be on the PATH. */
    private static final List<String> SERVER_FOLDERS =
            List.of("/usr/local/sbin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin");

    private static final Pattern SEPARATOR = Pattern.compile(File.pathSeparator, Pattern.LITERAL);

    private InstalledPrograms() {}

    /** Finds the first of these names that is on the PATH or in a folder for servers. */
    static Optional<Path> find(String... names) {
        List<String> folders = Stream.concat(
                        SEPARATOR.splitAsStream(System.getenv().getOrDefault("PATH", "")), SERVER_FOLDERS.stream())
                .filter(folder -> !folder.isBlank())
                .toList();
        return Stream.of(names)
                .flatMap(name -> folders.stream().map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
