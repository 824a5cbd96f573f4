package dev.tandem.server.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.words.Language;
import dev.tandem.server.words.Wordbook;
import dev.tandem.task.WaitReason;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What tasks wait for, in English as it is stored and sent, and in Chinese. */
class WaitSentencesTest {

    private static final List<WaitReason> ALL = List.of(
            new WaitReason.Permits(List.of("erp", "mail", "x")),
            new WaitReason.Token("mail"),
            new WaitReason.OtherTask("parcels/pack-7"),
            new WaitReason.FormerPartition(),
            new WaitReason.Turn(false),
            new WaitReason.Turn(true),
            new WaitReason.Other("another task with its deduplication key"));

    @Test
    void eachKindHasTheWordsThatAreStoredAndChineseOnes() {
        assertThat(ALL.stream().<Class<?>>map(WaitReason::getClass).collect(Collectors.toSet()))
                .isEqualTo(
                        Arrays.stream(WaitReason.class.getPermittedSubclasses()).collect(Collectors.toSet()));
        for (WaitReason reason : ALL) {
            assertThat(WaitSentences.of(reason).english()).isEqualTo(reason.text());
            assertThat(Wordbook.in(Language.ZH).say(WaitSentences.of(reason)))
                    .as(reason.text())
                    .containsPattern("\\p{IsHan}")
                    .doesNotContain("task ", "token", " of ");
        }
    }
}
