package dev.tandem.executor;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests to one bucket of fan-outs that were answered, and that the store may still forget. A call proves durable what was
 * answered a horizon before it was sent. Times are monotonic milliseconds. Thread-safe.
 */
final class ToldRequests {

    /** The most requests that are kept until they are durable. With more, calls have to wait. */
    static final int MAX_KEPT = 100_000;

    /** The time between two reports of requests that were given up. */
    static final long REPORT_MILLIS = 60_000;

    /** For how many horizons those are repeated. By then, whoever began the fan-out has told so again, unless its process is gone. */
    private static final int UNKNOWN_HORIZONS = 20;

    private static final long MIN_WAIT_MILLIS = 10;

    /** The requests that one call told. */
    private record Told(long number, long at, List<FanOutRequest> requests) {}

    /**
     * A request of a call.
     *
     * @param again whether the store knew it, and has forgotten it
     * @param until for how long it is repeated while its fan-out is not known; 0 if that is not decided
     */
    record Sent(FanOutRequest request, boolean again, long until) {}

    private final long horizonMillis;
    private final long keepMillis;
    private long number;
    private final Deque<Told> told = new ArrayDeque<>();
    /** To be told again before anything else. */
    private final Deque<Sent> again = new ArrayDeque<>();
    /** Said of fan-outs that the store does not know, because it forgot them, or that it forgot the end of. */
    private final Deque<Sent> unknown = new ArrayDeque<>();

    private int kept;
    /** The number of requests that are told again one by one, because the store refused one of them. */
    private int alone;

    private boolean isLookDue;
    /** The number of requests that were given up since the last report, because there were too many. */
    private long givenUp;

    private long mayReportFrom = Long.MIN_VALUE;

    /**
     * @param horizonMillis how long the store may forget what it answered
     * @param keepMillis what is older is not told again: the fan-out may be forgotten by right
     */
    ToldRequests(long horizonMillis, long keepMillis) {
        this.horizonMillis = horizonMillis;
        this.keepMillis = keepMillis;
    }

    static List<Sent> first(List<FanOutRequest> requests) {
        return requests.stream().map(each -> new Sent(each, false, 0)).toList();
    }

    /** Begins a call. */
    synchronized FanOutCaller next(String name) {
        Told last = told.peekLast();
        return new FanOutCaller(name, ++number, last == null ? 0 : last.number());
    }

    /** Returns for how long no further call may be made; 0 if it may be made now. */
    synchronized long fullFor(long now) {
        return kept < MAX_KEPT ? 0 : untilProvable(now);
    }

    private long untilProvable(long now) {
        Told first = told.peekFirst();
        return first == null ? horizonMillis : Math.max(MIN_WAIT_MILLIS, first.at() + horizonMillis - now);
    }

    /** Notes that a call was applied, which also shows that none before it was forgotten. */
    synchronized void applied(long call, long sentAt, long now, List<Sent> sent, List<FanOutAnswer> answers) {
        for (Told first = told.peekFirst();
                first != null && first.at() + horizonMillis <= sentAt;
                first = told.peekFirst()) {
            told.removeFirst();
            kept -= first.requests().size();
        }
        List<FanOutRequest> mayBeForgotten = new ArrayList<>();
        for (int i = 0; i < sent.size(); i++) {
            Sent each = sent.get(i);
            Code code = answers.get(i).code();
            if (isEarly(each, code)) {
                long until = each.until() > 0 ? each.until() : now + UNKNOWN_HORIZONS * horizonMillis;
                repeat(new Sent(each.request(), each.again(), until), now);
            } else if (changes(each, code)) {
                mayBeForgotten.add(each.request());
            }
        }
        if (!mayBeForgotten.isEmpty()) {
            told.addLast(new Told(call, now, mayBeForgotten));
            kept += mayBeForgotten.size();
        }
    }

    private void repeat(Sent request, long now) {
        if (request.until() <= now) {
            return;
        }
        if (unknown.size() >= MAX_KEPT) {
            unknown.removeFirst();
            givenUp++;
        }
        unknown.addLast(request);
    }

    /**
     * Returns how many requests were given up since this last returned some, because more than {@link #MAX_KEPT} are about fan-outs
     * that are not known; 0 if there are none, or somebody heard of them less than {@link #REPORT_MILLIS} ago.
     */
    synchronized long reportGivenUp(long now) {
        if (givenUp == 0 || now < mayReportFrom) {
            return 0;
        }
        long count = givenUp;
        givenUp = 0;
        mayReportFrom = now + REPORT_MILLIS;
        return count;
    }

    /** Returns whether somebody else has to tell again first what the store forgot, if it did. */
    private static boolean isEarly(Sent sent, Code code) {
        FanOutRequest request = sent.request();
        if (request instanceof FanOutRequest.Finish) {
            return code == Code.UNKNOWN || code == Code.CLOSED;
        }
        return code == Code.UNKNOWN
                && (request instanceof FanOutRequest.Tell
                        || request instanceof FanOutRequest.Nest
                        || request instanceof FanOutRequest.Begin
                        || request instanceof FanOutRequest.Abandon && sent.again());
    }

    /** Returns whether the store knows something by this request. It may say that it knew before, if an answer was lost. */
    private static boolean changes(Sent sent, Code code) {
        FanOutRequest request = sent.request();
        if (request instanceof FanOutRequest.Open) {
            // One that finds at first that the stream has ended is of a run that has no say.
            return code == Code.OK || code == Code.RESUMED || sent.again() && code == Code.CLOSED;
        }
        boolean isQuestion = request instanceof FanOutRequest.Ask
                || request instanceof FanOutRequest.View
                || request instanceof FanOutRequest.Claim
                || request instanceof FanOutRequest.Within
                || request instanceof FanOutRequest.Postpone;
        return !isQuestion && (code == Code.OK || code == Code.COMPLETE || code == Code.CLOSED);
    }

    /**
     * Notes that the store has forgotten the calls behind this one.
     *
     * @return how many requests are to be told again
     */
    synchronized int forgotten(long last, long now) {
        int count = 0;
        for (Told each = told.peekLast(); each != null && each.number() > last; each = told.peekLast()) {
            told.removeLast();
            kept -= each.requests().size();
            if (now - each.at() < keepMillis) {
                count += each.requests().size();
                putBack(each.requests().stream()
                        .map(request -> new Sent(request, true, 0))
                        .toList());
            }
        }
        return count;
    }

    /** Takes what is to be told again before anything else. @return none if there is nothing */
    synchronized List<Sent> takeAgain(int most) {
        int count = alone > 0 ? 1 : most;
        alone = Math.max(0, alone - 1);
        List<Sent> taken = new ArrayList<>(Math.min(again.size(), count));
        while (taken.size() < count && !again.isEmpty()) {
            taken.add(again.removeFirst());
        }
        return taken;
    }

    /** Puts back what could not be told again, in front of the rest. */
    synchronized void putBack(List<Sent> taken) {
        for (int i = taken.size() - 1; i >= 0; i--) {
            again.addFirst(taken.get(i));
        }
    }

    /** Does the same for requests of which the store refused one. They are told again one by one. */
    synchronized void separate(List<Sent> taken) {
        putBack(taken);
        alone = taken.size();
    }

    /** Returns after how long to {@link #look}; -1 if somebody will already, or if there is no need. */
    synchronized long lookAfter(long now) {
        if (isLookDue || told.isEmpty() && unknown.isEmpty() && again.isEmpty()) {
            return -1;
        }
        isLookDue = true;
        return untilProvable(now);
    }

    /** Returns a request to be sent for the sake of what was told before; null if that is not needed now. */
    synchronized @Nullable FanOutRequest look(long now) {
        isLookDue = false;
        again.addAll(unknown);
        unknown.clear();
        Told first = told.peekFirst();
        String id = !again.isEmpty()
                ? again.getFirst().request().id()
                : first != null && first.at() + horizonMillis <= now
                        ? first.requests().get(0).id()
                        : null;
        return id == null ? null : new FanOutRequest.Ask(id, 0);
    }

    /** Returns how many requests may be forgotten. */
    synchronized int kept() {
        return kept;
    }
}
