package dev.tandem.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.FileSystemResource;

/** Reports of broken settings files help to mend them, and show no secrets of them. */
class YamlMistakeTest {

    private static final String SECRET = "hunter2";

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            a:\\n\\tb: 2               | at line 2, column 1: found character | (indent with spaces)
            a: @b                      | at line 1, column 4: found character '@' that cannot start any token | (write the value in quotes)
            a: b: c                    | at line 1, column 5: mapping values are not allowed here | (indent the line as those beside it, or write a value that has a colon in quotes)
            a: 1\\n   b: 2             | at line 2, column 5: mapping values are not allowed here | (indent the line as those beside it, or write a value that has a colon in quotes)
            x:\\n  a: 1\\n - b         | at line 3, column 2: expected <block end>, but found | (indent the line as those beside it)
            a: 1\\nb\\nc: 2            | at line 2, column 1: could not find expected ':' | (write a name, a colon and a space)
            a: [1, 2                   | at line 1, column 9: expected ',' or ']', but got <stream end> | ``
            a: 'x                      | at line 1, column 6: found unexpected end of stream | ``
            a: 1\\na: 2                | at line 2, column 1: found duplicate key a | ``
            a: *b                      | at line 1, column 4: found undefined alias | (write a value that begins with * or ! in quotes)
            a: "\\d"                   | at line 1, column 6: found unknown escape character | (write the value in single quotes)
            """)
    void thePlaceTheProblemAndWhatToDoAreSaid(String text, String problem, String advice) throws IOException {
        assertThat(report(text))
                .contains("settings.yml can't be read " + problem)
                .endsWith(advice);
    }

    /** Passwords often begin with characters that mean something in YAML. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            password: *hunter2                    | at line 1, column 11: found undefined alias
            password: !hunter2                    | at line 1, column 11: could not determine a constructor for the tag
            password: !hunter2 x                  | at line 1, column 11: could not determine a constructor for the tag
            password: !hunter2!et                 | at line 1, column 11: found undefined tag handle
            password: !<hunter2                   | at line 1, column
            password: !hunter2{                   | at line 1, column
            password: !!float hunter2             | it is not valid YAML
            password: !!int hunter2               | it is not valid YAML
            password: !!timestamp hunter2         | it is not valid YAML
            password: "%hunter2                   | at line 1, column
            password: %hunter2                    | at line 1, column 11: found character '%' that cannot start any token
            password: @hunter2                    | at line 1, column 11: found character '@' that cannot start any token
            password: "hunter2\\x"                | at line 1, column
            password: {hunter2: 1, "hunter2": 1 2 | at line 1, column
            password: hunter2: x                  | at line 1, column 18: mapping values are not allowed here
            password: >hunter2                    | at line 1, column
            - hunter2\\nb: 1                      | at line 2, column 1: expected <block end>
            b: 1\\nhunter2                        | at line 2, column 1: could not find expected ':'
            """)
    void noSecretIsShown(String text, String problem) throws IOException {
        assertThat(report(text)).contains(problem).doesNotContain(SECRET).doesNotContain("hunter");
    }

    @Test
    void limitsAndEncodingsAreNamed() throws IOException {
        assertThat(report("a: " + "[".repeat(60) + "]".repeat(60))).contains("Nesting Depth exceeded max 50");
        assertThat(report("a: " + SECRET + "\u0001"))
                .endsWith("it has a character that YAML does not allow")
                .doesNotContain(SECRET);

        byte[] latin = ("a: " + SECRET + "é").getBytes(StandardCharsets.ISO_8859_1);
        Path file = Files.write(folder.resolve("latin.yml"), latin);
        assertThat(BrokenFiles.problems(List.of(file), folder))
                .containsExactly("The settings file latin.yml can't be read: it is not in UTF-8");
    }

    @Test
    void propertiesShowNoSecretEither() throws IOException {
        Path file = Files.writeString(folder.resolve("x.properties"), "password=" + SECRET + "\\u12\n");

        assertThat(BrokenFiles.problems(List.of(file), folder))
                .containsExactly("The settings file x.properties can't be read: it is not a valid properties file");
    }

    @Test
    void aMissingFileIsNamed() {
        assertThat(BrokenFiles.problems(List.of(folder.resolve("none.yml")), folder))
                .singleElement()
                .asString()
                .startsWith("The settings file none.yml can't be read: ")
                .contains("none.yml");
    }

    /** A file that another one imports is read by Spring Boot only. */
    @ParameterizedTest
    @CsvSource({"password: *hunter2", "password: !!float hunter2", "password: !!timestamp hunter2"})
    void importedFilesShowNoSecret(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("imported.yml"), text);
        Throwable thrown =
                catchThrowable(() -> new YamlPropertySourceLoader().load("imported", new FileSystemResource(file)));
        assertThat(thrown).isNotNull();

        FailureAnalysis analysis =
                new YamlFailureAnalyzer().analyze(new IllegalStateException("The import failed", thrown));
        assertThat(analysis).isNotNull();
        assertThat(analysis.getDescription())
                .startsWith("  A settings file can't be read")
                .doesNotContain(SECRET);
    }

    @Test
    void otherFailuresAreLeftToOthers() {
        assertThat(new YamlFailureAnalyzer().analyze(new IllegalStateException("no YAML")))
                .isNull();
    }

    private String report(String text) throws IOException {
        Path file = Files.writeString(
                folder.resolve("settings.yml"), text.replace("\\n", "\n").replace("\\t", "\t"));
        List<String> problems = BrokenFiles.problems(List.of(file), folder);
        assertThat(problems).hasSize(1);
        return problems.get(0);
    }
}
