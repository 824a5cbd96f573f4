package dev.tandem.task.store;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.IdentityPage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a partition of a queue remembers of positions that are settled: pages, what the broker owes, what was given up. */
final class Remembered {

    /** How long what nobody takes out is kept. */
    static final long KEPT_MILLIS = 900_000;

    private record Written(long page, String identity) {}

    private record Given(String by, HandOverResult code) {}

    private final Deque<Written> pages = new ArrayDeque<>();
    private long pagesWritten;
    private final Map<Position, Long> awaitingRedelivery = new LinkedHashMap<>();
    private final Map<Position, Given> given = new LinkedHashMap<>();
    private long lastGiven;

    Remembered copy() {
        Remembered copy = new Remembered();
        copy.pages.addAll(pages);
        copy.pagesWritten = pagesWritten;
        copy.awaitingRedelivery.putAll(awaitingRedelivery);
        copy.given.putAll(given);
        copy.lastGiven = lastGiven;
        return copy;
    }

    /** Forgets what is too old. */
    void expire(long now) {
        if (pagesWritten + KEPT_MILLIS <= now) {
            pages.clear();
        }
        if (lastGiven + KEPT_MILLIS <= now) {
            given.clear();
        }
        awaitingRedelivery.values().removeIf(since -> since + KEPT_MILLIS <= now);
    }

    /** Custody moved from the broker to the store, or the task ended in the broker's. */
    void settled(Position position, long page, boolean wasHeld, long now) {
        if (page >= 0) {
            write(position, page, now);
        } else if (page == StoreRequest.AWAITS_REDELIVERY && !wasHeld) {
            awaitingRedelivery.put(position, now);
        }
    }

    /** Its message came again. */
    void cameAgain(Position position, long page, long now) {
        if (page != StoreRequest.AWAITS_REDELIVERY) {
            awaitingRedelivery.remove(position);
        }
        if (page >= 0) {
            write(position, page, now);
        }
    }

    private void write(Position position, long page, long now) {
        pages.add(new Written(page, identity(position)));
        pagesWritten = now;
    }

    boolean isOwed(Position position) {
        return awaitingRedelivery.containsKey(position);
    }

    void forget(Position position) {
        awaitingRedelivery.remove(position);
    }

    void dropPagesBelow(long page) {
        while (!pages.isEmpty() && pages.peek().page < page) {
            pages.remove();
        }
    }

    /** What was answered when it was given up; GONE to any other asker; null: it was not. */
    @Nullable
    HandOverResult givenUp(Position position, String by) {
        Given to = given.get(position);
        if (to == null) {
            return null;
        }
        return to.by.equals(by) ? to.code : HandOverResult.GONE;
    }

    HandOverResult giveUp(Position position, String by, HandOverResult code, long now) {
        awaitingRedelivery.remove(position);
        given.put(position, new Given(by, code));
        lastGiven = now;
        return code;
    }

    List<Position> awaitingRedelivery() {
        Comparator<Map.Entry<Position, Long>> order = Map.Entry.comparingByValue();
        return awaitingRedelivery.entrySet().stream()
                .sorted(order.thenComparing(entry -> entry.getKey().text()))
                .map(Map.Entry::getKey)
                .toList();
    }

    List<IdentityPage> pages() {
        TreeMap<Long, StringBuilder> all = new TreeMap<>();
        given.keySet().stream()
                .sorted(Comparator.comparing(Position::text))
                .forEach(position -> add(all, IdentityPage.REDELIVERED, identity(position)));
        pages.forEach(written -> add(all, written.page, written.identity));
        List<IdentityPage> list = new ArrayList<>();
        all.forEach((number, identities) ->
                list.add(new IdentityPage(number, identities.toString().getBytes(StandardCharsets.US_ASCII))));
        return list;
    }

    private static void add(Map<Long, StringBuilder> pages, long number, String identity) {
        pages.computeIfAbsent(number, page -> new StringBuilder()).append(identity);
    }

    private static String identity(Position position) {
        return position.text().substring(1, 1 + IdentityPage.IDENTITY_BYTES);
    }
}
