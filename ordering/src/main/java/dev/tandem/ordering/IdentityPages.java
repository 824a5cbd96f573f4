package dev.tandem.ordering;

import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The pages on which the store remembers what was settled in a queue, until its acks have arrived for sure. A page is
 * dropped when all that is on it was acked a while ago and the broker has answered something on that channel since; what
 * earlier channels wrote, when besides all that they left was delivered.
 */
final class IdentityPages {

    private static final class TrackedPage {
        final long number;
        final long openedAt;
        long unacked;
        long lastAckAt;

        TrackedPage(long number, long now) {
            this.number = number;
            this.openedAt = now;
            this.lastAckAt = now;
        }
    }

    /** Of a channel that is never caught up with. */
    private static final long INHERITED_MILLIS = 15 * 60_000;

    private final long pageMillis;
    private final long keepMillis;
    private final ArrayDeque<TrackedPage> pages = new ArrayDeque<>();
    /** The highest page of earlier channels; -1 if there is none. */
    private long inherited = -1;

    private long next;
    private long asking = -1;

    /** @param keepMillis how long after it was sent an ack may still get lost */
    IdentityPages(long pageMillis, long keepMillis) {
        this.pageMillis = pageMillis;
        this.keepMillis = keepMillis;
    }

    /** A new channel follows an acquire that gave these. */
    void begin(List<StoreAnswer.IdentityPage> history, long now) {
        pages.clear();
        asking = -1;
        again(history);
        inherited = next - 1;
        if (inherited >= 0) {
            pages.add(new TrackedPage(inherited, now));
        }
    }

    /** Acquired anew with the same channel. */
    void again(List<StoreAnswer.IdentityPage> history) {
        history.forEach(page -> next = Math.max(next, page.number() + 1));
    }

    /** The entry is about to be settled. */
    void assign(TaskEntry entry, long now) {
        if (entry.page != -1) {
            return;
        }
        if (entry.tracked() && RedeliveryMatcher.isNamed(entry.position)) {
            TrackedPage last = pages.peekLast();
            if (last == null || last.number == inherited || now - last.openedAt >= pageMillis) {
                last = new TrackedPage(next++, now);
                pages.addLast(last);
            }
            entry.page = last.number;
            last.unacked++;
        } else if (entry.owes) {
            entry.page = StoreRequest.AWAITS_REDELIVERY;
        }
    }

    /** The entry is on some page already, which must stay until it is acked. */
    void keepFor(TaskEntry entry, long now) {
        if (entry.page == -1 && !pages.isEmpty()) {
            TrackedPage first = pages.getFirst();
            entry.page = first.number;
            first.unacked++;
            first.lastAckAt = now;
        }
    }

    void acked(TaskEntry entry, long now) {
        if (entry.page < 0) {
            return;
        }
        for (TrackedPage page : pages) {
            if (page.number == entry.page) {
                page.unacked--;
                page.lastAckAt = now;
                return;
            }
        }
    }

    /** When {@link #toConfirm} may next say something without any event. */
    long nextAt(boolean caughtUp) {
        TrackedPage first = pages.peekFirst();
        if (first == null || first.unacked > 0 || asking >= 0) {
            return Long.MAX_VALUE;
        }
        return readyAt(first, caughtUp);
    }

    private long readyAt(TrackedPage page, boolean caughtUp) {
        if (page.number == inherited && !caughtUp) {
            return page.openedAt + INHERITED_MILLIS;
        }
        return Math.max(page.openedAt + pageMillis, page.lastAckAt + keepMillis);
    }

    /** Whether the broker is to be asked for an answer now, so that pages can be dropped after it. */
    boolean toConfirm(boolean caughtUp, long now) {
        if (asking >= 0) {
            return false;
        }
        for (TrackedPage page : pages) {
            if (page.unacked > 0 || readyAt(page, caughtUp) > now) {
                break;
            }
            asking = page.number;
        }
        return asking >= 0;
    }

    /** The broker answered. @return the page below which all may be dropped; -1 if none was asked for */
    long confirmed() {
        if (asking < 0) {
            return -1;
        }
        long below = asking + 1;
        asking = -1;
        while (!pages.isEmpty() && pages.getFirst().number < below) {
            pages.removeFirst();
        }
        return below;
    }

    /** Whatever was asked, its answer does not count. */
    void forgetAsked() {
        asking = -1;
    }
}
