package dev.tandem.local;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The program of a Redis server.
 *
 * @param origin where it comes from, for people
 */
record RedisProgram(Path file, String origin) {

    private static final String JAR = "embedded-redis-";
    private static final Pattern VERSION = Pattern.compile("(\\w+) server v=(\\S+)");

    private static final Duration BUSY_LIMIT = Duration.ofSeconds(30);

    // The binaries in the jar, by operating system and processor as Java names them.
    private static final Map<String, String> EMBEDDED = Map.of(
            "linux-amd64", "redis-server-6.2.6-v5-linux-amd64",
            "linux-aarch64", "redis-server-6.2.7-linux-arm64",
            "mac-x86_64", "redis-server-6.2.6-v5-darwin-amd64",
            "mac-aarch64", "redis-server-6.2.6-v5-darwin-arm64");

    /**
     * Finds a program that this mode allows.
     *
     * @throws MissingBrokerException if there is none
     */
    static RedisProgram find(LocalMode mode) {
        return switch (mode) {
            case AUTO, DOCKER, PROCESS -> onPath().orElseGet(RedisProgram::embedded);
            case PATH ->
                onPath().orElseThrow(() -> new MissingBrokerException(
                        LocalMode.VARIABLE + "=path, but neither redis-server nor valkey-server is on the PATH."
                                + " Install one ('apt-get install redis-server'), or set " + LocalMode.VARIABLE
                                + "=embedded."));
            case EMBEDDED -> embedded();
        };
    }

    /** Returns the product and its version, such as "Redis 7.0.15" or "Valkey 8.0.1". */
    String product() {
        try {
            // Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=...
            Process process = new ProcessBuilder(file.toString(), "--version").start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher matcher = VERSION.matcher(output);
            return matcher.find() ? matcher.group(1) + " " + matcher.group(2) : "Redis of an unknown version";
        } catch (IOException e) {
            throw new LocalException("The version of " + file + " cannot be asked: " + e.getMessage(), e);
        }
    }

    private static Optional<RedisProgram> onPath() {
        return InstalledPrograms.find("redis-server", "valkey-server")
                .map(file -> new RedisProgram(file, file.getFileName() + " on the PATH"));
    }

    private static synchronized RedisProgram embedded() {
        String platform =
                (System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "mac" : "linux") + "-"
                        + System.getProperty("os.arch");
        String entryName = EMBEDDED.get(platform);
        if (entryName == null) {
            throw new MissingBrokerException("There is no embedded Redis for " + platform + ". Install redis-server.");
        }
        Path target = ProcessFolders.root().resolve("redis-server");
        if (!Files.exists(target)) {
            extract(entryName, target);
        }
        return new RedisProgram(target, "embedded");
    }

    private static void extract(String entryName, Path target) {
        Path jar = BrokerJars.jar(JAR);
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            ZipEntry entry = zip.getEntry(entryName);
            if (entry == null) {
                throw new LocalException("The jar " + jar + " has no " + entryName + ".");
            }
            Path partial = Files.createTempFile(target.getParent(), "redis-server", ".part");
            try (InputStream in = zip.getInputStream(entry)) {
                Files.copy(in, partial, StandardCopyOption.REPLACE_EXISTING);
            }
            Files.setPosixFilePermissions(partial, PosixFilePermissions.fromString("rwx------"));
            awaitExecutable(partial);
            Files.move(partial, target);
            ProcessFolders.deleteAtEnd(target);
        } catch (IOException e) {
            throw new LocalException("The embedded Redis could not be extracted to " + target + ": " + e, e);
        }
    }

    /**
     * Waits until the system runs a file that was just written. A process that another thread started meanwhile holds
     * the file open for writing until it runs its own program, and Linux runs no such file ("Text file busy").
     */
    private static void awaitExecutable(Path program) {
        Waiting.until(BUSY_LIMIT, program + " could not be run", () -> canRun(program), () -> "");
    }

    private static boolean canRun(Path program) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(program.toString(), "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
