package dev.tandem.local;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Archives of the classes that child JVMs load, from which later children start with less processor time: tests start
 * more than a hundred. Children with the same libraries record what they load until two of them have loaded all that
 * they need to start. The next one has the archive made beside it, and those that start once it is there use it. It has
 * no classes of Tandem, which each build changes.
 *
 * <p>There are none unless the system property {@value #PROPERTY} names a folder, which several JVMs may use at the same
 * time. A start never depends on an archive. Thread-safe.
 */
final class ClassArchives {

    static final String PROPERTY = "it.class-archives";

    private static final Logger LOG = LoggerFactory.getLogger(ClassArchives.class);
    private static final int RECORDINGS = 2;

    /** A list that has not changed for so long is complete: the child has started, or has ended. */
    private static final Duration SETTLED = Duration.ofSeconds(3);

    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** Options of a process whose classes somebody else cares for. */
    private static final Pattern OTHER_ARCHIVE =
            Pattern.compile("-Xshare:(on|off|dump)|-XX:(SharedArchiveFile|ArchiveClassesAtExit|AOT\\w*)=.*");

    private final Path folder;
    private final String libraries;
    private final String key;

    private ClassArchives(Path folder, String libraries) throws IOException {
        this.folder = folder;
        this.libraries = libraries;
        this.key = key(libraries);
    }

    /** Returns the options of a child, with its class path. @param options those that the caller wants */
    static List<String> options(List<String> options, String classPath) {
        String configured = System.getProperty(PROPERTY, "");
        return options(configured.isEmpty() ? null : Path.of(configured), options, classPath);
    }

    /** @param folder null for no archives */
    static List<String> options(@Nullable Path folder, List<String> options, String classPath) {
        if (folder == null
                || options.stream().anyMatch(each -> OTHER_ARCHIVE.matcher(each).matches())) {
            return with(options, List.of(), classPath);
        }
        try {
            Files.createDirectories(folder);
            List<String> entries = List.of(classPath.split(File.pathSeparator));
            // An archive is used only if the class path begins with the one that it was made with.
            String libraries = join(entries.stream().filter(ClassArchives::isLibrary));
            List<String> more = new ClassArchives(folder, libraries).options();
            String others = join(entries.stream().filter(entry -> !isLibrary(entry)));
            return with(options, more, join(Stream.of(libraries, others).filter(part -> !part.isEmpty())));
        } catch (IOException | RuntimeException e) {
            LOG.info("A process starts without an archive of its classes: {}", e.toString());
            return with(options, List.of(), classPath);
        }
    }

    private static List<String> with(List<String> options, List<String> more, String classPath) {
        List<String> all = new ArrayList<>(options);
        all.addAll(more);
        all.addAll(List.of("-cp", classPath));
        return all;
    }

    private static String join(Stream<String> entries) {
        return entries.collect(Collectors.joining(File.pathSeparator));
    }

    /** Returns whether it is a jar that no build of this project makes. */
    private static boolean isLibrary(String entry) {
        return entry.endsWith(".jar") && !entry.contains(File.separator + "target" + File.separator);
    }

    private static String key(String libraries) throws IOException {
        StringBuilder kind = new StringBuilder(Runtime.version() + System.getProperty("java.home"));
        for (String library : libraries.split(File.pathSeparator)) {
            Path jar = Path.of(library);
            kind.append('\n').append(library);
            kind.append(' ').append(Files.size(jar)).append(' ').append(Files.getLastModifiedTime(jar));
        }
        return UUID.nameUUIDFromBytes(kind.toString().getBytes(StandardCharsets.UTF_8))
                .toString();
    }

    private Path file(String suffix) {
        return folder.resolve(key + suffix);
    }

    private List<String> options() throws IOException {
        if (Files.exists(file(".jsa"))) {
            return List.of("-XX:SharedArchiveFile=" + file(".jsa"));
        }
        List<Path> recordings = recordings();
        if (recordings.size() < RECORDINGS) {
            return List.of("-XX:DumpLoadedClassList=" + file("." + UUID.randomUUID() + ".classes"));
        }
        make(recordings);
        return List.of();
    }

    /** Returns the complete lists of what children have loaded. */
    private List<Path> recordings() throws IOException {
        FileTime settled = FileTime.from(Instant.now().minus(SETTLED));
        List<Path> complete = new ArrayList<>();
        try (DirectoryStream<Path> lists = Files.newDirectoryStream(folder, key + ".*.classes")) {
            for (Path list : lists) {
                if (Files.size(list) > 0 && Files.getLastModifiedTime(list).compareTo(settled) < 0) {
                    complete.add(list);
                }
            }
        }
        return complete;
    }

    /** Has the archive made, unless somebody does so or it could not be made before. */
    private void make(List<Path> recordings) throws IOException {
        if (Files.exists(file(".failed"))) {
            return;
        }
        FileChannel channel = FileChannel.open(file(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean begun = false;
        try {
            FileLock lock = channel.tryLock();
            if (lock != null && !Files.exists(file(".jsa"))) {
                LocalProcess process = start(recordings);
                Thread thread = new Thread(() -> finish(process, channel), "class-archive");
                thread.setDaemon(true);
                thread.start();
                begun = true;
            }
        } catch (OverlappingFileLockException e) {
            LOG.debug("This JVM makes the archive already");
        } finally {
            if (!begun) {
                channel.close();
            }
        }
    }

    private LocalProcess start(List<Path> recordings) throws IOException {
        Set<String> classes = new LinkedHashSet<>();
        for (Path recording : recordings) {
            String text = Files.readString(recording);
            classes.addAll(text.substring(0, text.lastIndexOf('\n') + 1).lines().toList());
        }
        Path list = Files.write(file(".classes"), classes);
        return LocalProcess.program(
                        "class-archive",
                        List.of(
                                "nice",
                                LocalProcess.javaProgram(),
                                "-Xshare:dump",
                                "-XX:SharedClassListFile=" + list,
                                "-XX:SharedArchiveFile=" + file(".part"),
                                "-Xmx512m",
                                "-XX:+UseG1GC", // archives objects of the JDK too
                                "-XX:TieredStopAtLevel=1",
                                "-Xlog:disable",
                                "-cp",
                                libraries))
                .disposable()
                .start();
    }

    /** Waits for the process, and releases the lock. If this JVM ends first, it kills the process, and nothing is left. */
    private void finish(LocalProcess process, FileChannel lock) {
        try (lock;
                process) {
            if (process.awaitExit(LIMIT) && process.exitStatus() == 0) {
                Files.move(file(".part"), file(".jsa"), StandardCopyOption.ATOMIC_MOVE);
            } else if (process.exitStatus() < 128) {
                Files.writeString(file(".failed"), process.logTail());
            }
        } catch (IOException | RuntimeException e) {
            LOG.info("An archive of classes was not made: {}", e.toString());
        }
    }
}
