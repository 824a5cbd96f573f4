package dev.tandem.server.api;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.Container;
import org.apache.catalina.Context;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Deletes the empty folders that Tomcat gets in the temp directory, as soon as it has started. It does not use them, and
 * a server that is killed could not delete them.
 */
final class TomcatFolders implements ApplicationListener<WebServerInitializedEvent> {

    private static final Logger log = LoggerFactory.getLogger(TomcatFolders.class);

    @Override
    public void onApplicationEvent(WebServerInitializedEvent event) {
        if (event.getWebServer() instanceof TomcatWebServer server) {
            List<Path> folders = new ArrayList<>();
            folders.add(server.getTomcat().getServer().getCatalinaBase().toPath());
            for (Container child : server.getTomcat().getHost().findChildren()) {
                String root = child instanceof Context context ? context.getDocBase() : null;
                if (root != null) {
                    folders.add(Path.of(root));
                }
            }
            folders.stream().filter(TomcatFolders::isTemporary).forEach(TomcatFolders::deleteIfEmpty);
        }
    }

    /** Whether Spring Boot made this folder. One that the settings name stays. */
    private static boolean isTemporary(Path folder) {
        Path parent = folder.toAbsolutePath().normalize().getParent();
        Path temp =
                Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath().normalize();
        return temp.equals(parent) && folder.getFileName().toString().startsWith("tomcat");
    }

    /** Deletes folders inside out. Stops at the first one that holds a file. */
    private static void deleteIfEmpty(Path folder) {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    return FileVisitResult.TERMINATE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path each, @Nullable IOException failure) throws IOException {
                    Files.delete(each);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            log.debug("Could not delete {}, which stays in the temp directory", folder, e);
        }
    }
}
