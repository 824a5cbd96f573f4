package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Field;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Headers that a hostile message repeats. */
class RepeatedHeadersTest {

    /** The limit tells linear cost, well below a second, from quadratic cost, which takes hours. */
    @Test
    @Timeout(60)
    void aHeaderThatIsRepeatedThreeHundredThousandTimesCostsNoMoreThanAnyOther() {
        KeptHeaders kept = new KeptHeaders();
        for (int i = 0; i < 300_000; i++) {
            kept.add(new Field("x", Integer.toString(i).getBytes(StandardCharsets.US_ASCII)));
        }

        assertThat(kept.headers()).hasSize(300_000).containsEntry("x", "299999").containsEntry("x#1", "0");
    }

    @Test
    void aNumberThatIsTakenIsSkipped() {
        KeptHeaders kept = new KeptHeaders();
        kept.add(Field.of("x#1", "own"));
        kept.add(Field.of("x", "1"));
        kept.add(Field.of("x", "2"));
        kept.add(Field.of("x", "3"));

        assertThat(kept.headers())
                .containsEntry("x#1", "own")
                .containsEntry("x#2", "1")
                .containsEntry("x#3", "2")
                .containsEntry("x", "3");
    }
}
