package dev.tandem.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TemporaryFolderTest {

    @Test
    void isDeletedWithItsContentWhenItIsClosed() throws IOException {
        Path path;
        try (TemporaryFolder folder = new TemporaryFolder("kit-")) {
            path = folder.path();
            Files.writeString(Files.createDirectory(path.resolve("inner")).resolve("file"), "text");
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void staysWhenItIsKept() {
        Path path;
        try (TemporaryFolder folder = new TemporaryFolder("kit-")) {
            path = folder.path();
            folder.keep();
        }
        assertThat(path).exists();
        FileTree.delete(path);
        assertThat(path).doesNotExist();
    }
}
