package dev.tandem.server.words;

import static java.util.Comparator.comparingInt;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where an English text has a term of the table in docs/console.md, the Chinese one has the word that the table gives for it. */
class ChineseTermsTest {

    /** A row has two terms, each with its words; the last one may have only one. */
    private static final Pattern ROW = Pattern.compile("\\| ([a-z][^|]*) \\| ([^|]*\\p{IsHan}[^|]*) \\| (.*)\\|");

    /**
     * A term and its Chinese words, of which there are several if it has several senses.
     *
     * @param pattern finds it in English texts
     */
    private record Term(String english, Pattern pattern, List<String> chinese) {

        static Term of(String english) {
            List<String> forms = new ArrayList<>(List.of(english, english + "s"));
            if (english.endsWith("y")) {
                forms.add(english.substring(0, english.length() - 1) + "ies");
            }
            if (english.endsWith("ed")) {
                String verb = english.substring(0, english.length() - 2);
                forms.addAll(List.of(verb, verb + "s"));
            }
            return new Term(
                    english,
                    Pattern.compile("\\b(" + String.join("|", forms) + ")\\b", Pattern.CASE_INSENSITIVE),
                    new ArrayList<>());
        }

        /** Returns whether a Chinese text says it. Names of settings, commands, states and parameters stay as they are. */
        boolean isIn(String text) {
            return chinese.stream().anyMatch(text::contains)
                    || pattern.matcher(text).find();
        }
    }

    /** Returns the terms of the table, the longest first: a <i>dead task</i> is no <i>task</i>. */
    private static List<Term> terms() throws IOException {
        Map<String, Term> terms = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("../docs/console.md"))) {
            var row = ROW.matcher(line);
            if (row.matches()) {
                add(terms, row.group(1), row.group(2));
                var second = ROW.matcher("| " + row.group(3) + "| |");
                if (second.matches()) {
                    add(terms, second.group(1), second.group(2));
                }
            }
        }
        return terms.values().stream()
                .sorted(comparingInt((Term term) -> term.english().length()).reversed())
                .toList();
    }

    /** Adds terms with a word each, or with one for all of them. */
    private static void add(Map<String, Term> terms, String english, String chinese) {
        List<String> names = Stream.of(english.split(";"))
                .map(name -> name.replaceAll("\\([^)]*\\)", "").strip().replaceFirst("^(its|to) ", ""))
                .toList();
        List<String> words = Stream.of(chinese.split("；")).map(String::strip).toList();
        assertThat(words.size()).as("%s: %s", english, chinese).isIn(1, names.size());
        for (int i = 0; i < names.size(); i++) {
            terms.computeIfAbsent(names.get(i), Term::of).chinese().add(words.get(words.size() == 1 ? 0 : i));
        }
    }

    @Test
    void theTableIsRead() throws IOException {
        assertThat(terms()).hasSizeGreaterThan(50).anySatisfy(term -> {
            assertThat(term.english()).isEqualTo("halted");
            assertThat(term.chinese()).containsExactly("停滞");
            assertThat("It halts").matches(text -> term.pattern().matcher(text).find());
        });
        assertThat(terms()).anySatisfy(term -> {
            assertThat(term.english()).isEqualTo("revision");
            assertThat(term.chinese()).containsExactly("修订号");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/tandem/server/words/words", "/dev/tandem/server/console/texts"})
    void oneWordStandsForOneTerm(String texts) throws IOException {
        List<Term> terms = terms();
        Properties english = read(texts + ".properties");
        Properties chinese = read(texts + "_zh_CN.properties");

        List<String> others = new ArrayList<>();
        chinese.forEach((key, text) -> {
            String rest = english.getProperty(key.toString(), "");
            for (Term term : terms) {
                var found = term.pattern().matcher(rest);
                if (found.find() && !term.isIn(text.toString())) {
                    others.add(key + " says '" + text + "', without " + term.chinese() + " for " + term.english());
                }
                rest = found.replaceAll(" ");
            }
        });

        assertThat(chinese).isNotEmpty();
        assertThat(others).isEmpty();
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
