package dev.tandem.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Both languages have the texts that the pages use, and no others. */
class TextsTest {

    /** Words of states and the like are made of a prefix and the word; a language may leave them as they are. */
    private static final Pattern WORD = Pattern.compile(
            "(state|role|ordering|blocked|audit-kind|by|operation-state|"
                    + "operation-action|audit-action|problem-type|takes|who|schedule-state|misfire|overlap|fan-out-state|dependency-state|rule|range|timeline-stop)\\..*");

    private static final Pattern USED = Pattern.compile(
            "(?:view\\.t\\(|Page\\.(?:live|still)\\(\"[a-z-]+\", |Entry\\(\"[^\"]+\", |apply\\(|[A-Z]{3,}\\(|chart\\(\\s*|\\st\\(\\s*)\"([a-z.-]+)\"");

    private static Properties texts(String file) {
        Properties texts = new Properties();
        try (var in = TextsTest.class.getResourceAsStream(file)) {
            texts.load(new InputStreamReader(in, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }

    private static Set<String> withoutWords(Properties texts) {
        return texts.stringPropertyNames().stream()
                .filter(name -> !WORD.matcher(name).matches())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void bothLanguagesHaveTheSameTexts() {
        Properties english = texts("texts.properties");
        Properties chinese = texts("texts_zh_CN.properties");

        assertThat(withoutWords(chinese)).isEqualTo(withoutWords(english));
        for (String name : withoutWords(english)) {
            assertThat(places(chinese.getProperty(name))).as(name).isEqualTo(places(english.getProperty(name)));
        }
    }

    private static Set<String> places(String text) {
        return Pattern.compile("\\{\\d{1,2}}")
                .matcher(text)
                .results()
                .map(each -> each.group())
                .collect(Collectors.toSet());
    }

    @Test
    void theTextsAreThoseThatPagesUse() throws IOException {
        Set<String> used = new TreeSet<>();
        for (String folder : new String[] {"src/main/jte", "src/main/java/dev/tandem/server/console"}) {
            try (Stream<Path> files = Files.walk(Path.of(folder))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Matcher text = USED.matcher(Files.readString(file));
                    while (text.find()) {
                        used.add(text.group(1));
                    }
                }
            }
        }

        assertThat(withoutWords(texts("texts.properties"))).isEqualTo(used);
    }
}
