package dev.tandem.ordering.redelivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.lanes.Entries;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Position;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer.IdentityPage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples of how long the store remembers settled messages. */
class IdentityPagesTest {

    private static final long PAGE = 10_000;
    private static final long KEEP = 30_000;

    private final IdentityPages pages = new IdentityPages(PAGE, KEEP);
    private int tag;

    private TaskEntry named() {
        tag++;
        return Entries.message(new Position("m00000000000" + tag + ":w.1"), tag, false);
    }

    @Test
    void messagesOfTheSameTimeShareAPage() {
        TaskEntry first = named();
        TaskEntry second = named();
        TaskEntry later = named();

        pages.assign(first, 0);
        pages.assign(second, PAGE - 1);
        pages.assign(later, PAGE);

        assertThat(first.notes().mark()).isEqualTo(new SettledMark.OnPage(0));
        assertThat(second.notes().mark()).isEqualTo(new SettledMark.OnPage(0));
        assertThat(later.notes().mark()).isEqualTo(new SettledMark.OnPage(1));
    }

    @Test
    void aMessageWithoutAnIdIsOnNoPage() {
        TaskEntry unnamed = Entries.message(new Position("c000000000001:w.1"), 1, false);

        pages.assign(unnamed, 0);

        assertThat(unnamed.notes().mark()).isEqualTo(SettledMark.NONE);
    }

    @Test
    void aPageIsDroppedOnceItsAcksAreOldAndTheBrokerAnswered() {
        TaskEntry entry = named();
        pages.assign(entry, 0);
        pages.acked(entry, 1_000);

        assertThat(pages.askNow(true, 1_000 + KEEP - 1)).isFalse();
        assertThat(pages.askNow(true, 1_000 + KEEP)).isTrue();
        assertThat(pages.brokerAnswered()).isEqualTo(1);
        assertThat(pages.brokerAnswered()).isEqualTo(IdentityPages.NO_PAGE);
    }

    @Test
    void anUnackedMessageKeepsItsPage() {
        TaskEntry acked = named();
        pages.assign(acked, 0);
        pages.assign(named(), 0);
        pages.acked(acked, 0);

        assertThat(pages.askNow(true, 100 * KEEP)).isFalse();
        assertThat(pages.askAt(true)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void anInheritedPageStaysUntilCaughtUp() {
        pages.begin(List.of(new IdentityPage(4, new byte[0])), 0);

        assertThat(pages.askNow(false, KEEP)).isFalse();
        assertThat(pages.askNow(true, KEEP)).isTrue();
        assertThat(pages.brokerAnswered()).isEqualTo(5);
    }
}
