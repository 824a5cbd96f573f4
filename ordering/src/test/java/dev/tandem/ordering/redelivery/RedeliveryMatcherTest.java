package dev.tandem.ordering.redelivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.lanes.Entries;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.redelivery.RedeliveryMatcher.Match;
import dev.tandem.task.Delivery;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.IdentityPage;
import dev.tandem.task.store.StoreAnswer.LapsedClaim;
import dev.tandem.task.store.StoreAnswer.RedeliveryHistory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Examples of how a redelivered message is recognised. */
class RedeliveryMatcherTest {

    private static final String IDENTITY = "m000000000042";
    private static final Position EARLIER = Identities.newPosition(IDENTITY, "writer", 7);

    private final RedeliveryMatcher matcher = new RedeliveryMatcher();

    private static Acquired acquired(RedeliveryHistory history) {
        return new Acquired(
                1, "redis-1", -1, 0, -1, List.of(), List.of(), List.of(), 0, -1, -1, 0, List.of(), history, false);
    }

    private static RedeliveryHistory lapsed(Position position) {
        return new RedeliveryHistory(List.of(new LapsedClaim(position, 1)), List.of(), List.of());
    }

    private static Delivery delivery(boolean redelivered) {
        return new Delivery(1, Task.of("orders", null, new byte[1]), null, IDENTITY, redelivered);
    }

    @Test
    void aPositionCarriesTheIdentityOfItsMessage() {
        assertThat(Identities.of(EARLIER)).isEqualTo(IDENTITY);
        assertThat(Identities.isNamed(EARLIER)).isTrue();
        assertThat(Identities.isNamed(Identities.newPosition("c000000000042", "writer", 7)))
                .isFalse();
    }

    @Test
    void aRedeliveryHasThePositionOfItsEarlierDelivery() {
        matcher.begin(List.of(), acquired(lapsed(EARLIER)));

        assertThat(matcher.match(delivery(true))).isEqualTo(new Match(EARLIER, false));
    }

    @Test
    void aPositionIsMatchedOnce() {
        matcher.begin(List.of(EARLIER), acquired(RedeliveryHistory.NONE));

        assertThat(matcher.match(delivery(true))).isEqualTo(new Match(EARLIER, true));
        assertThat(matcher.match(delivery(true))).isNull();
    }

    @Test
    void aFirstDeliveryIsNeverMatched() {
        matcher.begin(List.of(EARLIER), acquired(RedeliveryHistory.NONE));

        assertThat(matcher.match(delivery(false))).isNull();
    }

    @Test
    void aSettledIdentityIsFoundAsOftenAsItWasSettled() {
        byte[] twice = (IDENTITY.substring(1) + IDENTITY.substring(1)).getBytes(StandardCharsets.US_ASCII);
        matcher.begin(
                List.of(), acquired(new RedeliveryHistory(List.of(), List.of(), List.of(new IdentityPage(0, twice)))));
        TaskEntry redelivered = Entries.message(EARLIER, 1, true);

        assertThat(matcher.takeFromPages(redelivered)).isTrue();
        assertThat(matcher.takeFromPages(redelivered)).isTrue();
        assertThat(matcher.takeFromPages(redelivered)).isFalse();
    }

    @Test
    void whatWasNotDeliveredUntilCaughtUpIsAbandoned() {
        Position head = Identities.newPosition("m000000000001", "writer", 1);
        matcher.begin(List.of(), acquired(lapsed(EARLIER)));
        matcher.await(head, "k");
        assertThat(matcher.takeLeftovers()).isEmpty();
        assertThat(matcher.takeAwaited()).isEmpty();

        matcher.caughtUp();

        assertThat(matcher.takeLeftovers()).containsExactly(EARLIER);
        assertThat(matcher.takeAwaited()).isEqualTo(Map.of(head, "k"));
    }

    @Test
    void whatCameOnThisChannelIsNotAbandonedThoughTheStoreForgotIt() {
        matcher.begin(List.of(), acquired(lapsed(EARLIER)));
        assertThat(matcher.match(delivery(true))).isNotNull();

        matcher.mayBeRedelivered(EARLIER);
        matcher.caughtUp();

        assertThat(matcher.takeLeftovers()).isEmpty();
    }
}
