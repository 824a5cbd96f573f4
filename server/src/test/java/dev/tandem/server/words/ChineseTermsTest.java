package dev.tandem.server.words;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Terms of the table in docs/console.md that Chinese texts have missed before. */
class ChineseTermsTest {

    private static final Pattern HALTED = Pattern.compile("\\bhalt(s|ed)?\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern BURST = Pattern.compile("\\bburst\\b", Pattern.CASE_INSENSITIVE);

    @ParameterizedTest
    @ValueSource(strings = {"/dev/tandem/server/words/words", "/dev/tandem/server/console/texts"})
    void oneWordStandsForOneTerm(String texts) {
        Properties english = read(texts + ".properties");
        Properties chinese = read(texts + "_zh_CN.properties");

        assertThat(chinese).isNotEmpty().allSatisfy((key, text) -> {
            String said = text.toString();
            String original = english.getProperty(key.toString(), "");
            assertThat(said).as("%s, of a request", key).doesNotContain("请求体");
            if (HALTED.matcher(original).find()) {
                assertThat(said).as("%s: %s", key, original).contains("停滞");
            }
            if (BURST.matcher(original).find()) {
                assertThat(said).as("%s: %s", key, original).containsAnyOf("突发量", "burst");
            }
        });
    }

    private static Properties read(String resource) {
        Properties properties = new Properties();
        try (InputStreamReader in = new InputStreamReader(
                Objects.requireNonNull(ChineseTermsTest.class.getResourceAsStream(resource), resource),
                StandardCharsets.UTF_8)) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }
}
