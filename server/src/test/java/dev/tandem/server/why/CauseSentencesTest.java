package dev.tandem.server.why;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.words.Language;
import dev.tandem.server.words.Wordbook;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** The sentences of all causes, with all that changes them: in English as they have always been, and in Chinese without English. */
class CauseSentencesTest {

    private static final Path ENGLISH = Path.of("src/test/resources/why/sentences.txt");

    /** What is no English in a Chinese sentence: commands, names, settings, and words that operators use as they are. */
    private static final Pattern STAYS = Pattern.compile("`?\\./tandem [^。；，）`]*`?|customer-7|pay-1|host-2|payments"
            + "|\\b(HTTP|Redis|UTC|LAG|skip|drain|concurrency|erp|mail|anna|limit|pay|on|why|problem|waitsFor|its name|the payments)\\b"
            + "|tandem\\.executor\\.lease|docs/operations\\.md|“A key or a partition is full”|@3/0:17");

    @Test
    void inEnglishTheyAreThoseThatProgramsKnow() throws Exception {
        Set<String> said = new LinkedHashSet<>();
        for (EachCause.Case asked : EachCause.all()) {
            said.add(asked.cause().word() + " | " + asked.cause().says(asked.words()) + " | "
                    + asked.cause().remedy(asked.words()));
        }
        List<String> known = Files.readAllLines(ENGLISH).stream()
                .filter(line -> !line.startsWith("#"))
                .toList();

        assertThat(said).containsExactlyInAnyOrderElementsOf(known);
    }

    @Test
    void inChineseTheySayTheSameWithoutEnglish() throws Exception {
        Wordbook chinese = Wordbook.in(Language.ZH);
        SoftAssertions soft = new SoftAssertions();
        for (EachCause.Case asked : EachCause.all()) {
            for (String text : List.of(
                    chinese.say(asked.cause().says(asked.words())),
                    chinese.say(asked.cause().remedy(asked.words())))) {
                soft.assertThat(STAYS.matcher(text).replaceAll(""))
                        .as(text)
                        .doesNotContainPattern("[A-Za-z]{2,}")
                        .doesNotContain("{");
            }
        }
        soft.assertAll();
    }

    @Test
    void theWholeAnswerIsInOneLanguage() throws Exception {
        EachCause.Case asked = EachCause.all().stream()
                .filter(each -> each.cause() instanceof TaskCause.Retry)
                .findFirst()
                .orElseThrow();
        Diagnosis diagnosis = new Diagnosis(asked.cause(), null, 12, EachCause.NOW.plusSeconds(300));

        assertThat(diagnosis.text(asked.words()))
                .isEqualTo(
                        "customer-7 waits for attempt 3 of pay-1 at 14:04:05 UTC (HTTP 410); 12 behind it; about 14:08:00"
                                + " UTC. To run it now: ./tandem keys retry payments customer-7");
        assertThat(Wordbook.in(Language.ZH).say(diagnosis.sentence(asked.words())))
                .isEqualTo("customer-7 正在等待 pay-1 的第 3 次尝试，时间为 14:04:05 UTC（HTTP 410）；其后还有 12 个任务；预计约 14:08:00 UTC"
                        + " 全部结束。立即运行：./tandem keys retry payments customer-7");
    }
}
