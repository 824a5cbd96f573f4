package dev.tandem.scheduler;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.IdentityPage;
import dev.tandem.task.store.StoreAnswer.LapsedClaim;
import dev.tandem.task.store.StoreAnswer.RedeliveryHistory;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Gathers a message queue's redelivery history from the pages of a reply. Between two pages a position may move on, and then
 * it was read twice. It is listed once, since a redelivered message is matched with each entry of a list.
 */
final class RedeliveryHistoryPages {

    /** Where a position of a message queue has its message's identity. */
    private static final int IDENTITY_AT = 1;

    private static final int IDENTITY_END = 13;

    private final Map<Position, Integer> lapsed = new LinkedHashMap<>();
    private final Map<Position, Double> awaiting = new HashMap<>();
    private final List<byte[]> elements = new ArrayList<>();
    private final TreeSet<String> given = new TreeSet<>();

    void addLapsed(ReplyReader in) {
        while (in.hasMore()) {
            lapsed.put(in.position(), Integer.parseInt(in.text()));
        }
    }

    void addAwaiting(ReplyReader in) {
        while (in.hasMore()) {
            awaiting.put(in.position(), Double.parseDouble(in.text()));
        }
    }

    /** Adds elements of the list of pages behind those that were read before. */
    void addPages(ReplyReader in) {
        elements.addAll(in.all(ReplyReader::bytes));
    }

    /** Adds elements of the list of pages in front of those that were read before. */
    void addPagesInFront(ReplyReader in) {
        elements.addAll(0, in.all(ReplyReader::bytes));
    }

    void addGiven(ReplyReader in) {
        while (in.hasMore()) {
            given.add(in.text());
            in.bytes();
        }
    }

    /** Forgets the lapses of positions that are known as claimed: they were counted before this claim. */
    void forgetLapses(Set<Position> claimed) {
        lapsed.keySet().removeAll(claimed);
    }

    /** Returns the positions that await redelivery. They are settled, which is final, whatever they were on earlier pages. */
    Set<Position> awaiting() {
        return awaiting.keySet();
    }

    RedeliveryHistory toHistory() {
        List<LapsedClaim> claims = new ArrayList<>(lapsed.size());
        lapsed.forEach((position, lapses) -> {
            if (!awaiting.containsKey(position)) {
                claims.add(new LapsedClaim(position, lapses));
            }
        });
        List<Position> longestFirst = new ArrayList<>(awaiting.keySet());
        longestFirst.sort(Comparator.<Position>comparingDouble(awaiting::get).thenComparing(Position::text));
        return new RedeliveryHistory(claims, longestFirst, pages());
    }

    private List<IdentityPage> pages() {
        TreeMap<Long, ByteArrayOutputStream> pages = new TreeMap<>();
        for (String position : given) {
            byte[] identity = position.substring(IDENTITY_AT, IDENTITY_END).getBytes(StandardCharsets.US_ASCII);
            append(pages, IdentityPage.REDELIVERED, identity, 0);
        }
        for (byte[] element : elements) {
            append(pages, ByteBuffer.wrap(element).getInt() & 0xFFFF_FFFFL, element, Integer.BYTES);
        }
        List<IdentityPage> list = new ArrayList<>(pages.size());
        pages.forEach((number, identities) -> list.add(new IdentityPage(number, identities.toByteArray())));
        return list;
    }

    private static void append(Map<Long, ByteArrayOutputStream> pages, long number, byte[] element, int from) {
        pages.computeIfAbsent(number, n -> new ByteArrayOutputStream()).write(element, from, element.length - from);
    }
}
