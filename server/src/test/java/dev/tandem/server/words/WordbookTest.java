package dev.tandem.server.words;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;

/** What the server says in each of its languages, and which texts of other programs it knows. */
class WordbookTest {

    private static final Pattern PLACE = Pattern.compile("\\{\\d{1,2}}");
    private static final Pattern BROKEN = Pattern.compile("\"\\s*\\+ \"");
    private static final Pattern STRING = Pattern.compile("\"[^\"\n]*\"");

    /** What the audit log puts before and behind what a route names. */
    private static final Pattern ARTICLES = Pattern.compile("^a | '$");

    /** A Latin letter or digit beside a Chinese character, or punctuation of the one with the other. */
    private static final Pattern UNEVEN = Pattern.compile(
            "\\p{IsHan}[A-Za-z0-9,.:;!?()]|[A-Za-z0-9,;!?()]\\p{IsHan}" + "|(?<!=) [，。：；、（）]|[，。：；、（）] ");

    private static final Texts ENGLISH = Wordbook.texts(Language.EN);
    private static final Texts CHINESE = Wordbook.texts(Language.ZH);
    private static final Wordbook ZH = Wordbook.in(Language.ZH);

    @Test
    void bothLanguagesHaveTheSameTextsWithTheSamePlaces() throws IOException {
        // A text that a language lacks would be that of English.
        Set<String> ofChinese = new TreeSet<>();
        for (String line :
                Files.readAllLines(Path.of("src/main/resources/dev/tandem/server/words/words_zh_CN.properties"))) {
            if (line.contains(" = ")) {
                ofChinese.add(line.substring(0, line.indexOf(" = ")));
            }
        }

        assertThat(ofChinese).isEqualTo(ENGLISH.keys(""));
        for (String key : ENGLISH.keys("")) {
            assertThat(places(CHINESE.raw(key))).as(key).isEqualTo(places(ENGLISH.raw(key)));
        }
    }

    @Test
    void noChineseTextHasEnglishInIt() {
        assertThat(ENGLISH.keys(""))
                .filteredOn(key -> !EnglishWords.in(CHINESE.raw(key)).isEmpty())
                .isEmpty();
        assertThat(EnglishWords.in("任务“pay-1”在 there is no handler 中")).containsExactly("there is no handler");
        assertThat(EnglishWords.in("运行 ./tandem queues show，见“A key is full”，设置 tandem.api.max，在 Redis Cluster 中"))
                .isEmpty();
    }

    @Test
    void chineseTextsHaveTheirOwnPunctuationAndSpacesAroundLatinWords() throws IOException {
        for (String file : List.of("words/words", "console/texts")) {
            assertThat(Files.readAllLines(
                            Path.of("src/main/resources/dev/tandem/server/" + file + "_zh_CN.properties")))
                    .noneMatch(line -> UNEVEN.matcher(line).find());
        }
    }

    private static Set<String> places(String text) {
        return PLACE.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theSentencesAreThoseThatTheServerMakes() throws IOException {
        String sources = sources(Path.of("src/main"));

        assertThat(ENGLISH.keys(""))
                .filteredOn(key -> !key.startsWith("quote.") && !key.startsWith("state."))
                // The ends of these depend on numbers.
                .map(key ->
                        key.replaceFirst("^queue\\.(unowned|new-of-)(kafka|rabbit)?(-lasting)?(-one)?$", "queue.$1"))
                .allMatch(key -> sources.contains('"' + key + '"'));
    }

    @Test
    void theTextsOfOtherProgramsAreThoseThatTheySay() throws IOException {
        // Programs put some of them together from parts, so not all of a text need be there in one piece.
        StringBuilder all = new StringBuilder();
        for (String module : List.of(
                "api",
                "task",
                "ordering",
                "executor",
                "scheduler-redis",
                "ingress-kafka",
                "ingress-rabbit",
                "runtime",
                "server")) {
            all.append(sources(Path.of("..", module, "src/main/java")));
        }
        Stream.of(HttpStatus.values()).map(HttpStatus::getReasonPhrase).forEach(all::append);
        String sources = all.toString();

        for (String kind : Stream.of(QuoteKind.values())
                .map(QuoteKind::begins)
                .flatMap(List::stream)
                .collect(Collectors.toSet())) {
            for (String key : ENGLISH.keys(kind)) {
                List<String> parts = parts(ENGLISH.raw(key));
                long said = parts.stream().filter(sources::contains).count();
                assertThat(said).as(ENGLISH.raw(key)).isGreaterThanOrEqualTo(Math.max(1, parts.size() / 3));
            }
        }
    }

    /** Returns the strings of sources, each in one piece. */
    private static String sources(Path folder) throws IOException {
        StringBuilder strings = new StringBuilder();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(each -> each.toString().matches(".*\\.(java|jte)"))
                    .toList()) {
                String source = BROKEN.matcher(Files.readString(file)).replaceAll("");
                STRING.matcher(source).results().forEach(string -> strings.append(string.group()));
            }
        }
        return strings.toString();
    }

    /** Returns all that are four words in a row, since programs put texts together; of a shorter text its longest part. */
    private static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        String longest = "";
        for (String part : PLACE.split(text)) {
            longest = part.length() > longest.length() ? part : longest;
            List<String> words = List.of(part.strip().split(" "));
            for (int i = 0; i + 4 <= words.size(); i++) {
                parts.add(String.join(" ", words.subList(i, i + 4)));
            }
        }
        return parts.isEmpty() ? List.of(ARTICLES.matcher(longest.strip()).replaceAll("")) : parts;
    }

    @Test
    void whatOtherProgramsSayIsKnownByItsWordsAlsoWithinOthersAndInARow() {
        assertThat(ZH.said(QuoteKind.STATE, "starts are slowed down to 1 a second: 19 of the last 20 attempts failed"))
                .isEqualTo("启动已减速到每秒 1 个：最近 20 次尝试中有 19 次失败");
        assertThat(ZH.said(
                        QuoteKind.STATE,
                        "an operator has paused the queue; Redis has no room for more tasks of 2 of the partitions, so their"
                                + " fresh tasks wait in the broker"))
                .isEqualTo("操作员已暂停该队列；Redis 没有空间容纳其中 2 个分区的更多任务，因此它们的新任务在消息代理中等待");
        assertThat(ZH.said(QuoteKind.ERROR, "attempt 3 of 3 was the last: timed out after 500 ms"))
                .isEqualTo("第 3 次（共 3 次）尝试是最后一次：运行 500 毫秒后超时");
        assertThat(ZH.said(QuoteKind.AUDIT, "task pay-1 of queue orders")).isEqualTo("队列 orders 的任务 pay-1");
    }

    @Test
    void whatIsNotKnownStaysAsItIs() {
        for (String text : List.of(
                "",
                "queue full",
                "the paper is out",
                "an operator has paused the queue; and gone home",
                "{0}",
                "task ")) {
            for (QuoteKind kind : QuoteKind.values()) {
                assertThat(ZH.said(kind, kind == QuoteKind.AUDIT ? "the " + text : text))
                        .endsWith(text);
            }
        }
        assertThat(Wordbook.in(Language.EN).said(QuoteKind.STATE, "an operator has paused the queue"))
                .isEqualTo("an operator has paused the queue");
    }

    @Test
    void aSentenceIsInEnglishWhereNobodyAsksForAnotherLanguage() {
        Sentence sentence = Sentence.of("waiting.permits", Sentence.and(List.of("erp", "mail")));

        assertThat(sentence).hasToString("a permit of erp and mail");
        assertThat(ZH.say(sentence)).isEqualTo("erp 和 mail 的许可");
    }
}
