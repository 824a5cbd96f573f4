package dev.tandem.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/**
 * An archive of the classes that a process has loaded, from which another one starts faster. A JVM does not archive
 * classes that come from folders, so all of them have to come from jars.
 */
record ClassArchive(Path file) {

    private static final int FIRST_WITH_AOT_CACHE = 25;

    /** Returns the class path of this process, with jars in place of its folders. They are made in the given folder. */
    static String packedClassPath(Path folder) throws IOException {
        ToolProvider jar =
                ToolProvider.findFirst("jar").orElseThrow(() -> new IllegalStateException("This Java has no jar tool"));
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!Files.isDirectory(Path.of(entry))) {
                entries.add(entry);
                continue;
            }
            String packed = folder.resolve(entries.size() + ".jar").toString();
            if (jar.run(System.err, System.err, "--create", "--file", packed, "-C", entry, ".") != 0) {
                throw new IOException("No jar could be made of " + entry);
            }
            entries.add(packed);
        }
        return String.join(File.pathSeparator, entries);
    }

    /** Returns the option of a process whose classes are archived when it ends. */
    String recordOption() {
        return (hasAotCache() ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + file;
    }

    /** Returns the option of a process that uses the archive. */
    String useOption() {
        return (hasAotCache() ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + file;
    }

    private static boolean hasAotCache() {
        return Runtime.version().feature() >= FIRST_WITH_AOT_CACHE;
    }
}
