package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The class path of the image: what the Dockerfile writes, and what the entry point gives to Java. */
class ImageTest {

    private static final String HOME = "/opt/tandem";
    private static final Pattern WRITES_CLASS_PATH = Pattern.compile("RUN (.* > " + HOME + "/class-path)");

    @TempDir
    private Path folder;

    /** An empty entry means the working directory, where settings are mounted. */
    @Test
    void theClassPathHasTandemFirstAndNoEmptyEntry() throws Exception {
        for (String jar : new String[] {"own/tandem-server.jar", "own/tandem-task.jar", "lib/a.jar", "lib/z.jar"}) {
            Files.createDirectories(folder.resolve(jar).getParent());
            Files.createFile(folder.resolve(jar));
        }
        Matcher command = WRITES_CLASS_PATH.matcher(Files.readString(Path.of("../Dockerfile")));
        assertThat(command.find()).isTrue();

        shell(inFolder(command.group(1)), "");

        assertThat(folder.resolve("class-path"))
                .hasContent(inFolder(HOME + "/own/tandem-server.jar:" + HOME + "/own/tandem-task.jar:" + HOME
                        + "/lib/a.jar:" + HOME + "/lib/z.jar"));
        assertThat(classPathOfTheEntryPoint())
                .isEqualTo(Files.readString(folder.resolve("class-path")).strip())
                .doesNotStartWith(":")
                .doesNotEndWith(":")
                .doesNotContain("::");
    }

    /** A jar of sources comes first on the class path, with resources in which nothing is filled in. */
    @Test
    void theBuildMakesNoJarsOfSources() throws Exception {
        assertThat(Files.readString(Path.of("../Dockerfile")))
                .containsPattern("RUN mvn .* -Dmaven\\.source\\.skip=true package")
                .contains("cp server/target/tandem-server-*.jar /opt/tandem/own/");
    }

    private String classPathOfTheEntryPoint() throws Exception {
        Path java = Files.writeString(
                folder.resolve("java"),
                "#!/bin/sh\nwhile [ \"$1\" != -cp ]; do shift; done\nprintf %s \"$2\" >" + folder + "/given");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        shell(inFolder(Files.readString(Path.of("../docker/entrypoint.sh"))), folder + ":");
        return Files.readString(folder.resolve("given"));
    }

    private String inFolder(String text) {
        return text.replace(HOME, folder.toString());
    }

    private void shell(String script, String firstOnThePath) throws IOException, InterruptedException {
        File log = folder.resolve("log").toFile();
        ProcessBuilder builder =
                new ProcessBuilder("sh", "-c", script).redirectErrorStream(true).redirectOutput(log);
        builder.environment().merge("PATH", firstOnThePath, (path, first) -> first + path);
        assertThat(builder.start().waitFor()).as(Files.readString(log.toPath())).isZero();
    }
}
