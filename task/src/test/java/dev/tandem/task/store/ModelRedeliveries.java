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

/**
 * The settled positions of a message queue's partition by which a redelivery is recognised: the identity pages, the
 * positions that await redelivery, and the positions that were given up to other partitions.
 */
final class ModelRedeliveries {

    /** How long entries are kept that nothing removes. */
    static final long KEPT_MILLIS = 900_000;

    private record PageEntry(long page, String identity) {}

    private record GivenUp(String asker, HandOverResult answer) {}

    private final Deque<PageEntry> pages = new ArrayDeque<>();
    private long lastPageWrite;
    /** Each position with the time since when it awaits redelivery. */
    private final Map<Position, Long> awaited = new LinkedHashMap<>();

    private final Map<Position, GivenUp> givenUp = new LinkedHashMap<>();
    private long lastGivenUp;

    ModelRedeliveries copy() {
        ModelRedeliveries copy = new ModelRedeliveries();
        copy.pages.addAll(pages);
        copy.lastPageWrite = lastPageWrite;
        copy.awaited.putAll(awaited);
        copy.givenUp.putAll(givenUp);
        copy.lastGivenUp = lastGivenUp;
        return copy;
    }

    /** Forgets entries that are too old. */
    void expire(long now) {
        if (lastPageWrite + KEPT_MILLIS <= now) {
            pages.clear();
        }
        if (lastGivenUp + KEPT_MILLIS <= now) {
            givenUp.clear();
        }
        awaited.values().removeIf(since -> since + KEPT_MILLIS <= now);
    }

    /** Notes that the store took custody of a task, or that it ended while the broker had custody. */
    void settled(Position position, SettledMark mark, boolean wasHeld, long now) {
        if (mark instanceof SettledMark.OnPage page) {
            write(position, page.number(), now);
        } else if (mark == SettledMark.AWAITS_REDELIVERY && !wasHeld) {
            awaited.put(position, now);
        }
    }

    /** Notes that the message of a settled position was redelivered. */
    void redelivered(Position position, SettledMark mark, long now) {
        if (mark != SettledMark.AWAITS_REDELIVERY) {
            awaited.remove(position);
        }
        if (mark instanceof SettledMark.OnPage page) {
            write(position, page.number(), now);
        }
    }

    private void write(Position position, long page, long now) {
        pages.add(new PageEntry(page, identity(position)));
        lastPageWrite = now;
    }

    boolean isAwaited(Position position) {
        return awaited.containsKey(position);
    }

    void forgetAwaited(Position position) {
        awaited.remove(position);
    }

    void dropPagesBelow(long page) {
        while (!pages.isEmpty() && pages.peek().page < page) {
            pages.remove();
        }
    }

    /** Returns the answer with which a position was given up, GONE to any other asker, or null if it was not. */
    @Nullable
    HandOverResult answerGivenTo(Position position, String asker) {
        GivenUp given = givenUp.get(position);
        if (given == null) {
            return null;
        }
        return given.asker.equals(asker) ? given.answer : HandOverResult.GONE;
    }

    HandOverResult giveUp(Position position, String asker, HandOverResult answer, long now) {
        awaited.remove(position);
        givenUp.put(position, new GivenUp(asker, answer));
        lastGivenUp = now;
        return answer;
    }

    /** Returns the positions that await redelivery, those that have waited longest first. */
    List<Position> awaited() {
        Comparator<Map.Entry<Position, Long>> order = Map.Entry.comparingByValue();
        return awaited.entrySet().stream()
                .sorted(order.thenComparing(entry -> entry.getKey().text()))
                .map(Map.Entry::getKey)
                .toList();
    }

    List<IdentityPage> pages() {
        TreeMap<Long, StringBuilder> identities = new TreeMap<>();
        givenUp.keySet().stream()
                .sorted(Comparator.comparing(Position::text))
                .forEach(position -> append(identities, IdentityPage.REDELIVERED, identity(position)));
        pages.forEach(entry -> append(identities, entry.page, entry.identity));
        List<IdentityPage> list = new ArrayList<>();
        identities.forEach((number, text) ->
                list.add(new IdentityPage(number, text.toString().getBytes(StandardCharsets.US_ASCII))));
        return list;
    }

    private static void append(Map<Long, StringBuilder> pages, long number, String identity) {
        pages.computeIfAbsent(number, page -> new StringBuilder()).append(identity);
    }

    private static String identity(Position position) {
        return position.text().substring(1, 1 + IdentityPage.IDENTITY_BYTES);
    }
}
