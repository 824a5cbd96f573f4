package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.KnownPositions;
import dev.tandem.task.store.StoreAnswer.LapsedClaim;
import dev.tandem.task.store.StoreAnswer.LiveClaim;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Positions that move on between two pages of what a message queue's partition knows. */
class KnownPositionsReplyTest {

    private static final Position P1 = new Position("c00000000042:w.1");
    private static final Position P2 = new Position("c00000000042:w.2");
    private static final List<Object> NONE = List.of();

    @Test
    void whatLapsedAndIsSettledBeforeTheNextPageIsListedOnce() {
        KnownPositionsReply reply = new KnownPositionsReply(page(NONE, lapses(P1, P2), NONE, 3));
        reply.add(page(NONE, NONE, awaits(P1), 0));

        KnownPositions known = reply.answer();

        assertThat(known.history().awaitingRedelivery()).containsExactly(P1);
        assertThat(known.history().lapsed()).containsExactly(new LapsedClaim(P2, 1));
    }

    @Test
    void whatWasClaimedAndIsSettledBeforeTheNextPageIsListedOnce() {
        KnownPositionsReply reply = new KnownPositionsReply(page(claims(P1, P2), NONE, NONE, 2));
        reply.add(page(NONE, lapses(P1, P2), awaits(P1), 0));

        KnownPositions known = reply.answer();

        assertThat(known.claims()).containsExactly(new LiveClaim(P2, false, 500));
        assertThat(known.history().awaitingRedelivery()).containsExactly(P1);
        assertThat(known.history().lapsed()).isEmpty();
    }

    @Test
    void whatAScanReturnsTwiceIsListedOnce() {
        KnownPositionsReply reply = new KnownPositionsReply(page(claims(P1), lapses(P2), NONE, 1));
        reply.add(page(claims(P1), lapses(P2), NONE, 0));

        KnownPositions known = reply.answer();

        assertThat(known.claims()).hasSize(1);
        assertThat(known.history().lapsed()).hasSize(1);
    }

    /** In the form that {@code list_known_positions.lua} describes. */
    private static List<Object> page(List<Object> claims, List<Object> lapses, List<Object> awaits, long nextSection) {
        List<Object> page = List.of(claims, lapses, awaits, NONE, NONE, nextSection, bytes("0"));
        return List.of((long) ScriptCodes.REPLY_OK, bytes("run"), 1L, page);
    }

    private static List<Object> claims(Position... positions) {
        return Arrays.stream(positions)
                .flatMap(position -> List.<Object>of(bytes(position.text()), 0L, 500L).stream())
                .toList();
    }

    private static List<Object> lapses(Position... positions) {
        return pairs("1", positions);
    }

    private static List<Object> awaits(Position... positions) {
        return pairs("1790000000000", positions);
    }

    private static List<Object> pairs(String value, Position... positions) {
        return Arrays.stream(positions)
                .flatMap(position -> List.<Object>of(bytes(position.text()), bytes(value)).stream())
                .toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
