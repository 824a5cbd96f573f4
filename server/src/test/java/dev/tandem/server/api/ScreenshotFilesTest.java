package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pictures of the console are small, and in its documentation. {@link ScreenshotsIT} takes them. */
class ScreenshotFilesTest {

    static final Path FOLDER = Path.of("../docs/images");

    static final int MAX_BYTES = 150_000;

    private static final Pattern SHOWN = Pattern.compile("\\(images/(console-[a-z]+\\.png)\\)");

    @Test
    void eachPictureIsSmallAndShown() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            List<Path> pictures = files.filter(
                            file -> file.getFileName().toString().startsWith("console-"))
                    .sorted()
                    .toList();

            assertThat(pictures)
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(file.toFile().length()).isLessThanOrEqualTo(MAX_BYTES));
            assertThat(SHOWN.matcher(Files.readString(Path.of("../docs/console.md")))
                            .results()
                            .map(each -> each.group(1))
                            .sorted())
                    .containsExactlyElementsOf(pictures.stream()
                            .map(file -> file.getFileName().toString())
                            .toList());
        }
    }
}
