package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WaitAnnouncementTest {

    @Test
    void whatIsWrittenIsReadAlsoThatAQueueHasNoWaits() {
        Map<String, Map<String, Long>> waits = Map.of("orders", Map.of("0", 1_200L, "mail.3", 5L), "mail", Map.of());
        assertThat(WaitAnnouncement.decode(WaitAnnouncement.encode(waits))).isEqualTo(waits);
        assertThat(WaitAnnouncement.decode(WaitAnnouncement.encode(Map.of()))).isEmpty();
    }

    @Test
    void ofManyPartitionsThoseAreNamedThatHaveWaitedLongest() {
        Map<String, Long> many = new HashMap<>();
        for (int i = 0; i < 2 * Presence.MOST_WAITS; i++) {
            many.put(Integer.toString(i), (long) i);
        }
        assertThat(WaitAnnouncement.decode(WaitAnnouncement.encode(Map.of("orders", many)))
                        .get("orders"))
                .hasSize(Presence.MOST_WAITS)
                .containsKey("1999")
                .doesNotContainKey("999");
    }

    @Test
    void whatCannotBeReadIsNotKnown() {
        assertThat(WaitAnnouncement.decode("2\norders\t0\t7")).isEmpty();
        assertThat(WaitAnnouncement.decode("1\norders\t0\tlong")).isEmpty();
        assertThat(WaitAnnouncement.decode("")).isEmpty();
    }
}
