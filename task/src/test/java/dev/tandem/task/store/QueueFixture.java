package dev.tandem.task.store;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.KnownPositions;
import dev.tandem.task.store.StoreAnswer.RedeliveryHistory;
import dev.tandem.task.store.StoreRequest.ListKnownPositions;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The same for a partition of a message queue, whose positions begin with a letter and a message's identity. */
interface QueueFixture extends StoreFixture {

    String ONE = "AAAAAAAAAAAA";
    String TWO = "BBBBBBBBBBBB";
    Position M1 = new Position("m" + ONE + ":w.1");
    Position M2 = new Position("m" + TWO + ":w.2");
    /** Another position of a message with the identity of {@link #M1}. */
    Position TWIN = new Position("m" + ONE + ":w.3");
    /** A position whose identity is a hash of the message's content. */
    Position C1 = new Position("cCCCCCCCCCCCC:w.4");

    /** Returns an executor that owns the partition once it has acquired it. */
    OwnerClient owner();

    /** Returns another executor, of a later generation: it can take the partition over at any time. */
    OwnerClient successor();

    default KnownPositions knownPositions() {
        return (KnownPositions) answerTo(new ListKnownPositions(partition()));
    }

    /** Returns each page as its number and its identities. */
    static List<String> pages(RedeliveryHistory history) {
        return history.pages().stream()
                .map(page -> page.number() + " " + new String(page.identities(), StandardCharsets.US_ASCII))
                .toList();
    }
}
