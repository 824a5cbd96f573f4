package dev.tandem.server.why;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The words for the causes, on which programs rely, and the page that lists them. */
class CausesTest {

    private static final Path PAGE = Path.of("../docs/why.md");
    private static final Pattern WORD = Pattern.compile("`([a-z-]+)`");

    @Test
    void thePageListsEachCauseOnce() throws Exception {
        assertThat(listed()).containsExactlyInAnyOrderElementsOf(words());
    }

    @Test
    void theChangelogCountsThem() throws IOException {
        assertThat(Files.readString(Path.of("../CHANGELOG.md"))).contains(causes().size() + " causes ([page]");
    }

    /** The rest has one of its own: {@code DiagnoserTest}. */
    @Test
    void eachIsProducedOnRealBrokers() throws Exception {
        Path tests = Path.of("src/test/java/dev/tandem/server");
        String all =
                Files.readString(tests.resolve("WhyIT.java")) + Files.readString(tests.resolve("WhyFaultsIT.java"));
        assertThat(words())
                .filteredOn(word -> !all.contains("\"" + word + "\")") && !all.contains("," + word + "\""))
                .containsExactly("other");
    }

    private static List<String> listed() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| `"))
                .flatMap(line -> WORD.matcher(line.split("\\|")[1]).results().map(MatchResult::group))
                .map(word -> word.replace("`", ""))
                .toList();
    }

    private static List<Class<?>> causes() {
        return Stream.of(TaskCause.class, PartitionCause.class)
                .<Class<?>>flatMap(group -> Arrays.stream(group.getPermittedSubclasses()))
                .toList();
    }

    private static List<String> words() throws ReflectiveOperationException {
        List<String> words = new ArrayList<>();
        for (Class<?> cause : causes()) {
            words.add(empty(cause).word());
        }
        return words;
    }

    /** Returns a cause of this kind that says nothing. */
    private static Cause empty(Class<?> cause) throws ReflectiveOperationException {
        Class<?>[] types = Arrays.stream(cause.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        Constructor<?> constructor = cause.getDeclaredConstructor(types);
        constructor.setAccessible(true);
        return (Cause) constructor.newInstance(
                Arrays.stream(types).map(CausesTest::nothing).toArray());
    }

    private static Object nothing(Class<?> type) {
        return type == boolean.class ? Boolean.FALSE : type == int.class ? (Object) 0 : type == long.class ? 0L : null;
    }
}
