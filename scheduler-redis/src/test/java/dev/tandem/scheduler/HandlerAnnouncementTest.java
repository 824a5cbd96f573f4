package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.HandledTypes;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HandlerAnnouncementTest {

    @Test
    void whatIsReadIsWhatWasWritten() {
        Map<String, HandledTypes> handled = Map.of(
                "orders", new HandledTypes(Set.of("ship", "order paid,\n=ü%", HandledTypes.NO_TYPE), false),
                "mail", new HandledTypes(Set.of(), true));

        assertThat(HandlerAnnouncement.decode(HandlerAnnouncement.encode(handled)))
                .isEqualTo(handled);
    }

    @Test
    void theFormIsAsDocumented() {
        assertThat(HandlerAnnouncement.encode(Map.of(
                        "orders", new HandledTypes(Set.of("ship", "a b", HandledTypes.NO_TYPE), false),
                        "mail", new HandledTypes(Set.of("http"), true))))
                .isEqualTo("1\nmail=any,http\norders=some,,a+b,ship");
    }

    @Test
    void anAnnouncementThatCannotBeReadIsIgnored() {
        assertThat(HandlerAnnouncement.decode("1\nmail=some,send\norders=some,%zz"))
                .isEmpty();
    }

    @Test
    void anAnnouncementOfAnotherVersionIsIgnored() {
        assertThat(HandlerAnnouncement.decode("2\norders=some,ship")).isEmpty();
    }
}
