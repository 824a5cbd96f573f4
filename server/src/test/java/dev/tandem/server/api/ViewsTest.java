package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreAnswer.BlockReason;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ViewsTest {

    @ParameterizedTest
    @CsvSource({"HEAD, head", "OTHER_OWNER, foreign", "REDELIVERY, redelivery", "HALTED, halted"})
    void theApiKeepsItsWordsForABlockedKey(BlockReason reason, String word) {
        assertThat(Views.whyBlocked(reason)).isEqualTo(word);
    }
}
