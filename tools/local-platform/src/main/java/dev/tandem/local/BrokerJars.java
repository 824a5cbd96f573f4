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
 * The class path of the broker children. The build lists their jars, relative to the local Maven repository, in
 * {@code brokers.classpath}; they are on no other class path.
 */
final class BrokerJars {

    private static final String REPOSITORY = "@repo@";
    private static final String REMEDY =
            "Build the module once with 'mvn -pl local-platform -am compile' (it downloads them), or name the repository with"
                    + " -Dmaven.repo.local.";

    private BrokerJars() {}

    /** The children's class path: our own classes first, then the brokers' jars. */
    static String classPath() {
        return Stream.concat(Stream.of(ownClasses()), jars().stream())
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Options for a broker's JVM: small, quiet, with its log on its standard output.
     *
     * @param fullSpeed whether it shall run fast for long; else it starts fast, with the first compiler only, which
     *     takes Kafka 40 % less processor time until it is up
     */
    static List<String> jvmOptions(boolean fullSpeed, String... memory) {
        List<String> options = new ArrayList<>(List.of(memory));
        options.add("-XX:+UseSerialGC");
        options.add("-XX:-UsePerfData");
        options.add("-Dlogback.configurationFile=dev/tandem/local/brokers-logback.xml");
        if (!fullSpeed) {
            options.add("-XX:TieredStopAtLevel=1");
        }
        return options;
    }

    /** The one jar whose file name starts with this. */
    static Path jar(String prefix) {
        return jars().stream()
                .filter(jar -> jar.getFileName().toString().startsWith(prefix))
                .findFirst()
                .orElseThrow(() -> new LocalException("No jar " + prefix + "* in the list of broker jars. " + REMEDY));
    }

    private static List<Path> jars() {
        Path repository = repository();
        List<Path> jars = Stream.of(Reaper.script("brokers.classpath").strip().split(":"))
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
        // A jar that we run from shows where the repository is, however settings.xml names it.
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
                        "Embedded brokers need Tandem's classes in a folder or a jar of their own, not nested in another"
                                + " jar."));
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
