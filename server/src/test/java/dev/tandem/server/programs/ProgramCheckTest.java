package dev.tandem.server.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.runtime.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class ProgramCheckTest {

    private final int self = (int) TestProgram.self();

    @TempDir
    private Path folder;

    private Path program;

    @BeforeEach
    void make() throws IOException {
        Path inner = Files.createDirectory(folder.resolve("bin"));
        program = Files.writeString(inner.resolve("program"), "#!/bin/true\n");
        allow(program, "rwxr-xr-x");
    }

    @Test
    void aProgramThatNobodyElseCanReplaceIsRun() {
        assertThat(problem(program)).isNull();
        assertThat(problem(Path.of("/usr/bin/env"))).isNull();
    }

    @Test
    void oneThatOthersCanWriteIsNot() throws IOException {
        allow(program, "rwxr-xrwx");
        assertThat(problem(program)).contains("can be written by others: chmod go-w it");
        allow(program, "rwxrwxr-x");
        assertThat(problem(program)).contains("can be written by others");
    }

    @Test
    void oneInAFolderThatOthersCanWriteIsNot() throws IOException {
        allow(program.getParent(), "rwxrwxrwx");
        assertThat(problem(program)).contains("others can replace what is in " + program.getParent());
    }

    /** What counts is what a link leads to. */
    @Test
    void linksAreFollowed() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), program);
        assertThat(problem(link)).isNull();
        allow(program, "rwxr-xrwx");
        assertThat(problem(link)).contains(program.toString());
    }

    /** Whoever may write into a folder with a link can let it lead elsewhere after the check. */
    @Test
    void aLinkThatOthersCanReplaceIsNotFollowed() throws IOException {
        Path open = Files.createDirectory(folder.resolve("open"));
        allow(open, "rwxrwxrwx");
        Path link = Files.createSymbolicLink(open.resolve("link"), program);
        assertThat(problem(link)).contains("others can replace what is in " + open);

        // Nor at the second hop, nor on the way to it.
        assertThat(problem(Files.createSymbolicLink(folder.resolve("link"), link)))
                .contains("others can replace what is in " + open);
        Files.createSymbolicLink(open.resolve("bin"), program.getParent());
        assertThat(problem(open.resolve("bin/program"))).contains("others can replace what is in " + open);
        allow(open, "rwxr-xr-x");
        assertThat(problem(folder.resolve("link"))).isNull();
        assertThat(problem(open.resolve("bin/../bin/program"))).isNull();
    }

    @Test
    void linksInACircleEnd() throws IOException {
        Path link = folder.resolve("link");
        Files.createSymbolicLink(link, Path.of("link"));
        assertThat(problem(link)).contains("too many links");
    }

    @Test
    void oneInAFolderThatAGroupCanWriteIsNotUnlessTheGroupIsRoots() throws IOException {
        Path bin = program.getParent();
        allow(bin, "rwxrwxr-x");
        if (TestProgram.isRoot()) {
            assertThat(problem(program)).isNull();
            Files.setAttribute(bin, "unix:gid", 65_534);
        }
        assertThat(problem(program)).contains("can replace what is in " + bin + ": chmod g-w it");
    }

    @Test
    void whatCannotBeExecutedIsNot() throws IOException {
        allow(program, "rw-r--r--");
        assertThat(problem(program)).contains("no file that can be executed");
        assertThat(problem(folder)).contains("no file that can be executed");
        assertThat(problem(folder.resolve("none"))).contains("cannot be read");
    }

    @Test
    void oneOfSomebodyElseIsNot() throws IOException {
        assumeTrue(TestProgram.isRoot(), "only root can give a file away");
        Files.setAttribute(program, "unix:uid", 65_534);
        assertThat(problem(program)).contains("belongs to the user 65534, who could replace it");
    }

    @Test
    void theSettingIsNamed() throws IOException {
        allow(program, "rwxrwxrwx");
        try (TestProgram command = new TestProgram(folder)) {
            command.set("program", program.toString());
            assertThatThrownBy(command::handler)
                    .isInstanceOf(SettingsException.class)
                    .hasMessageStartingWith("tandem.commands.c.program is '" + program + "': ")
                    .hasMessageContaining("chmod go-w it");
        }
    }

    private String problem(Path path) {
        return ProgramCheck.problem(path.toString(), self);
    }

    private static void allow(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }
}
