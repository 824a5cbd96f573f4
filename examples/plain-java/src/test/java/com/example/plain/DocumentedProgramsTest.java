package com.example.plain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.ShellCalls;
import dev.tandem.testkit.ShellCalls.Call;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of the pages about these programs call what there is. The tests beside this one run the programs. */
class DocumentedProgramsTest {

    private static final Path ROOT = DocumentedBlocks.root();

    @ParameterizedTest
    @ValueSource(strings = {"docs/guides/ten-minutes.md", "examples/README.md"})
    void thePagesRunBothPrograms(String page) throws Exception {
        String pom = Files.readString(Path.of("pom.xml"));
        List<String> executions = calls(page).stream()
                .filter(call -> call.program().equals("./mvnw"))
                .map(call -> call.words().get(call.words().size() - 1))
                .toList();

        assertThat(executions).containsExactly("exec:java@ship", "exec:java@submit");
        assertThat(pom)
                .contains("<id>ship</id>", "<mainClass>" + ShipParcels.class.getName() + "</mainClass>")
                .contains("<id>submit</id>", "<mainClass>" + SubmitParcels.class.getName() + "</mainClass>")
                .contains("${project.basedir}/tandem.yml");
    }

    @Test
    void thePublishersOfThePageExist() {
        List<String> files = calls("examples/README.md").stream()
                .flatMap(call -> call.words().stream())
                .filter(word -> word.startsWith("examples/"))
                .toList();

        assertThat(files)
                .hasSizeGreaterThan(4)
                .allSatisfy(file -> assertThat(ROOT.resolve(file)).exists());
    }

    private static List<Call> calls(String page) {
        return ShellCalls.in(DocumentedBlocks.in(ROOT.resolve(page)));
    }
}
