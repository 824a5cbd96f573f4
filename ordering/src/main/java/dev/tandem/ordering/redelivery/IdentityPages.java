package dev.tandem.ordering.redelivery;

import dev.tandem.ordering.lanes.RedeliveryNotes;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The pages on which the store remembers settled messages until their acks have certainly arrived. A page is dropped when
 * all that is on it was acked some time ago, and the broker has answered something on that channel since. A page of earlier
 * channels is dropped when, besides, all that they left unacked was delivered.
 */
public final class IdentityPages {

    private static final class Page {
        private final long number;
        private final long openedAt;
        private long unacked;
        private long lastAckAt;

        Page(long number, long now) {
            this.number = number;
            this.openedAt = now;
            this.lastAckAt = now;
        }
    }

    /** Says that no page is meant. */
    public static final long NO_PAGE = -1;

    private static final long NEVER = Long.MAX_VALUE;

    /** How long an inherited page is kept if the channel never catches up. */
    private static final long INHERITED_MILLIS = 15 * 60_000;

    private final long pageMillis;
    private final long keepMillis;
    private final ArrayDeque<Page> pages = new ArrayDeque<>();
    /** The highest page of earlier channels, or {@link #NO_PAGE}. */
    private long inherited = NO_PAGE;

    private long nextNumber;
    private long askedAbout = NO_PAGE;

    /**
     * @param pageMillis how long messages are added to a page
     * @param keepMillis how long after it was sent an ack may still get lost
     */
    public IdentityPages(long pageMillis, long keepMillis) {
        this.pageMillis = pageMillis;
        this.keepMillis = keepMillis;
    }

    /** Begins a new channel, which follows an acquire that listed {@code history}. */
    public void begin(List<StoreAnswer.IdentityPage> history, long now) {
        pages.clear();
        askedAbout = NO_PAGE;
        reacquired(history);
        inherited = nextNumber - 1;
        if (inherited >= 0) {
            pages.add(new Page(inherited, now));
        }
    }

    /** Takes the pages of an acquire with the same channel. */
    public void reacquired(List<StoreAnswer.IdentityPage> history) {
        history.forEach(page -> nextNumber = Math.max(nextNumber, page.number() + 1));
    }

    /** Gives the entry, which is about to be settled, a page that will remember it. */
    public void assign(TaskEntry entry, long now) {
        RedeliveryNotes notes = entry.notes();
        if (notes.mark() != SettledMark.NONE) {
            return;
        }
        if (entry.isTracked() && Identities.isNamed(entry.position())) {
            Page last = pages.peekLast();
            if (last == null || last.number == inherited || now - last.openedAt >= pageMillis) {
                last = new Page(nextNumber++, now);
                pages.addLast(last);
            }
            notes.mark(new SettledMark.OnPage(last.number));
            last.unacked++;
        } else if (notes.awaitsRedelivery()) {
            notes.mark(SettledMark.AWAITS_REDELIVERY);
        }
    }

    /** Keeps the page that remembers the entry, whichever it is, until the entry is acked. */
    public void keepFor(TaskEntry entry, long now) {
        if (entry.notes().mark() == SettledMark.NONE && !pages.isEmpty()) {
            Page first = pages.getFirst();
            entry.notes().mark(new SettledMark.OnPage(first.number));
            first.unacked++;
            first.lastAckAt = now;
        }
    }

    public void acked(TaskEntry entry, long now) {
        if (!(entry.notes().mark() instanceof SettledMark.OnPage onPage)) {
            return;
        }
        for (Page page : pages) {
            if (page.number == onPage.number()) {
                page.unacked--;
                page.lastAckAt = now;
                return;
            }
        }
    }

    /** When {@link #askNow} may next be true without any event. */
    public long askAt(boolean caughtUp) {
        Page first = pages.peekFirst();
        if (first == null || first.unacked > 0 || askedAbout >= 0) {
            return NEVER;
        }
        return droppableAt(first, caughtUp);
    }

    private long droppableAt(Page page, boolean caughtUp) {
        if (page.number == inherited && !caughtUp) {
            return page.openedAt + INHERITED_MILLIS;
        }
        return Math.max(page.openedAt + pageMillis, page.lastAckAt + keepMillis);
    }

    /** Whether the broker must be asked for an answer now, so that pages can be dropped when it comes. */
    public boolean askNow(boolean caughtUp, long now) {
        if (askedAbout >= 0) {
            return false;
        }
        for (Page page : pages) {
            if (page.unacked > 0 || droppableAt(page, caughtUp) > now) {
                break;
            }
            askedAbout = page.number;
        }
        return askedAbout >= 0;
    }

    /** Notes that the broker answered. Returns the page below which all can be dropped, {@link #NO_PAGE} if none can. */
    public long brokerAnswered() {
        if (askedAbout < 0) {
            return NO_PAGE;
        }
        long below = askedAbout + 1;
        askedAbout = NO_PAGE;
        while (!pages.isEmpty() && pages.getFirst().number < below) {
            pages.removeFirst();
        }
        return below;
    }

    /** Ignores the answer to what was asked. */
    public void forgetAsked() {
        askedAbout = NO_PAGE;
    }
}
