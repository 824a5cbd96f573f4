package dev.tandem.local;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * The jars of the embedded brokers, which are on the class path of the broker processes only. The build lists them,
 * relative to the local Maven repository, in {@code brokers.classpath}.
 */
final class BrokerJars {

    private static final String REPOSITORY = "@repo@";
    private static final String REMEDY =
            "Build the module once with 'mvn -pl tools/local-platform -am compile', which downloads them, or name the"
                    + " local repository with -Dmaven.repo.local.";

    private BrokerJars() {}

    /** Returns the class path of a broker process: our own classes first, then the brokers' jars. */
    static String classPath() {
        return Stream.concat(Stream.of(ownClasses()), jars().stream())
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Returns options for the JVM of a broker, which logs to its standard output.
     *
     * @param fullSpeed whether it should run fast once it is warm; else it starts fast, with 40 % less processor time
     *     for Kafka
     * @param heap the largest heap, such as {@code 256m}
     */
    static List<String> jvmOptions(boolean fullSpeed, String heap, String... more) {
        List<String> options = new ArrayList<>(List.of(more));
        options.add("-Dlogback.configurationFile=dev/tandem/local/brokers-logback.xml");
        String[] all = options.toArray(String[]::new);
        return fullSpeed ? JvmOptions.fullSpeed(heap, all) : JvmOptions.quickStart(heap, all);
    }

    /** Returns the jar whose file name starts with this. */
    static Path jar(String prefix) {
        return jars().stream()
                .filter(jar -> jar.getFileName().toString().startsWith(prefix))
                .findFirst()
                .orElseThrow(() -> new LocalException("No jar " + prefix + "* in the list of broker jars. " + REMEDY));
    }

    private static List<Path> jars() {
        Path repository = repository();
        List<Path> jars = Stream.of(
                        OrphanReaper.resource("brokers.classpath").strip().split(":"))
                .map(entry -> repository.resolve(entry.replace(REPOSITORY + "/", "")))
                .toList();
        jars.stream().filter(jar -> !Files.isReadable(jar)).findFirst().ifPresent(missing -> {
            throw new LocalException("The jar " + missing + " of an embedded broker is missing. " + REMEDY);
        });
        return jars;
    }

    private static Path repository() {
        String configured = System.getProperty("maven.repo.local");
        if (configured != null) {
            return Path.of(configured);
        }
        // The place of a jar that this JVM uses shows the repository, wherever settings.xml has put it.
        return location(LoggerFactory.class)
                .filter(jar -> jar.toString()
                        .contains(Path.of("org", "slf4j", "slf4j-api").toString()))
                .map(jar -> jar.resolve("../../../../..").normalize())
                .filter(Files::isDirectory)
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".m2", "repository"));
    }

    private static Path ownClasses() {
        return location(BrokerJars.class)
                .orElseThrow(() -> new LocalException(
                        "Embedded brokers need Tandem's classes in a folder or a jar, not in a nested jar."));
    }

    private static Optional<Path> location(Class<?> type) {
        try {
            var source = type.getProtectionDomain().getCodeSource();
            if (source == null || !"file".equals(source.getLocation().getProtocol())) {
                return Optional.empty();
            }
            return Optional.of(Path.of(source.getLocation().toURI()).toRealPath());
        } catch (URISyntaxException | IOException e) {
            return Optional.empty();
        }
    }
}
