package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tools/lint/SourceSizes.java}, with which {@code ./tandem lint} finds files and methods that are too long. */
class SourceSizesTest {

    private static final String TOOL =
            RepositorySources.ROOT.resolve("tools/lint/SourceSizes.java").toString();

    @TempDir
    Path project;

    @Test
    void oneLineTooManyIsFoundAndTheLongestAllowedIsNot() throws Exception {
        write("module/src/main/java/Fine.java", "class Fine {\nvoid a() " + block(60) + "\n}\n" + "\n".repeat(337));
        write("tools/module/src/test/java/LongFile.java", "class LongFile {}\n" + "\n".repeat(400));
        write(
                "tools/module/src/main/java/Methods.java",
                "class Methods { Methods() " + block(61) + "\nvoid plain() " + block(61)
                        + "\nrecord Compact(int i) { Compact " + block(61) + "}"
                        + "\nObject o = new Object() { void inner() " + block(61) + "};"
                        + "\nRunnable lambda = () -> " + block(61) + ";}");
        write("module/target/generated/src/main/java/No.java", "\n".repeat(401));
        String output = run(1);
        assertThat(output.lines().filter(line -> line.contains(".java")))
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line).contains("LongFile.java", "401 lines"),
                        line -> assertThat(line).contains("Methods.java:1:", "<init>", "61 lines"),
                        line -> assertThat(line).contains("Methods.java:62:", "plain", "61 lines"),
                        line -> assertThat(line).contains("Methods.java:123:", "<init>", "61 lines"),
                        line -> assertThat(line).contains("Methods.java:184:", "inner", "61 lines"));
    }

    private String run(int status) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), TOOL, project.toString()))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(status);
        return output;
    }

    private void write(String file, String text) throws IOException {
        Path path = project.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private static String block(int lines) {
        return "{\n" + "// a line\n".repeat(lines - 2) + "}";
    }
}
