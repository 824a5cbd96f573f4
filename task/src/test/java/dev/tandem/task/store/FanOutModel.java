package dev.tandem.task.store;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutPlan.Rule;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.Abandon;
import dev.tandem.task.fanout.FanOutRequest.Ask;
import dev.tandem.task.fanout.FanOutRequest.Begin;
import dev.tandem.task.fanout.FanOutRequest.Cancel;
import dev.tandem.task.fanout.FanOutRequest.Claim;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.FanOutRequest.Finish;
import dev.tandem.task.fanout.FanOutRequest.Nest;
import dev.tandem.task.fanout.FanOutRequest.Note;
import dev.tandem.task.fanout.FanOutRequest.Open;
import dev.tandem.task.fanout.FanOutRequest.Seal;
import dev.tandem.task.fanout.FanOutRequest.Tell;
import dev.tandem.task.fanout.FanOutRequest.View;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A model of what a store keeps of fan-outs. The script of Redis is compared with it. */
public final class FanOutModel {

    private static final byte[] NO_BITS = {};
    private static final int WINDOW = 2_048;
    private static final int WINDOW_BYTES = WINDOW / 8 + 1;
    private static final long CLAIM_MILLIS = 30_000;
    private static final long SILENT_MILLIS = 60_000;

    private final Map<String, FanOutEntry> entries = new HashMap<>();
    private final Map<String, Long> due = new HashMap<>();
    /** The numbers of the last calls to each bucket. */
    private final Map<String, Long> callers = new HashMap<>();

    /** Returns a copy, which a store that forgets goes back to. */
    public FanOutModel copy() {
        FanOutModel copy = new FanOutModel();
        entries.forEach((id, entry) -> copy.entries.put(id, entry.copy()));
        copy.due.putAll(due);
        copy.callers.putAll(callers);
        return copy;
    }

    /** Applies the requests of a call. */
    public FanOutReply call(int bucket, FanOutCaller caller, List<FanOutRequest> requests, long now) {
        String name = bucket + "/" + caller.name();
        long last = callers.getOrDefault(name, 0L);
        if (last < caller.known()) {
            return new FanOutReply.Gap(last);
        }
        if (caller.number() > 0) {
            callers.put(name, Math.max(last, caller.number()));
        }
        return new FanOutReply.Applied(
                requests.stream().map(each -> apply(each, now)).toList());
    }

    /** Returns the ids of those that somebody has to look at. */
    public List<String> due(long now) {
        return new TreeSet<>(due.keySet())
                .stream().filter(id -> due.get(id) <= now).toList();
    }

    /** Applies a request. */
    public FanOutAnswer apply(FanOutRequest request, long now) {
        String id = request.id();
        FanOutEntry entry = entries.get(id);
        byte[] bits = NO_BITS;
        String other = "";
        Code code;
        if (request instanceof Open open) {
            code = open(open, entry, now);
            entry = entries.get(id);
            if (code == Code.RESUMED && entry != null) {
                other = Integer.toString(entry.ended.length());
                bits = bits(entry);
            }
        } else if (entry == null) {
            code = Code.UNKNOWN;
        } else if (request instanceof Begin begin) {
            boolean copy = entry.begunBy != null && !entry.begunBy.equals(begin.identity());
            other = copy ? entry.begunName : "";
            code = copy ? Code.DUPLICATE : Code.OK;
            if (!copy) {
                entry.begunBy = begin.identity();
                entry.begunName = begin.name();
            }
        } else {
            code = known(request, entry, now);
            other = request instanceof FanOutRequest.Within ? within(entry) : "";
            bits = code == Code.OK && request instanceof Note note && note.reads() ? bits(entry) : NO_BITS;
            if (code == Code.NESTED && request instanceof Tell tell) {
                other = entry.inner.getOrDefault((int) tell.number(), "");
            } else if (code == Code.DUPLICATE && request instanceof Nest nest) {
                other = entry.inner.getOrDefault((int) nest.number(), "");
            }
        }
        boolean shows = code == Code.OK && (request instanceof View || request instanceof Claim);
        return new FanOutAnswer(
                code,
                entry == null ? Stop.NO : entry.stop,
                entry != null && entry.isCancelled,
                entry == null ? 0 : entry.cursor,
                entry == null ? -1 : entry.total,
                bits,
                other,
                shows && entry != null ? record(id, entry) : null);
    }

    private Code known(FanOutRequest request, FanOutEntry entry, long now) {
        String id = request.id();
        if (request instanceof Tell tell) {
            return tell(entry, tell, now);
        } else if (request instanceof Note note) {
            if (entry.phase != Phase.OPEN) {
                return closed(entry, now);
            } else if (note.token() != entry.token) {
                return Code.FENCED;
            }
            entry.cursor = note.cursor();
            due.put(id, now + SILENT_MILLIS);
            return Code.OK;
        } else if (request instanceof Seal seal) {
            return seal(entry, seal, now);
        } else if (request instanceof Abandon abandon) {
            return abandon(entry, abandon, now);
        } else if (request instanceof Cancel cancel) {
            if (entry.phase == Phase.COMPLETE) {
                return Code.CLOSED;
            }
            stop(entry, Stop.CANCELLED, cancel.why());
            return judge(id, entry, now);
        } else if (request instanceof Ask ask) {
            int number = (int) ask.number();
            return entry.failed.get(number) ? Code.HAS_FAILED : entry.hasSucceeded(number) ? Code.DUPLICATE : Code.OK;
        } else if (request instanceof FanOutRequest.GiveUp end) {
            return giveUp(entry, end, now);
        } else if (request instanceof Nest nest) {
            return nest(entry, nest);
        } else if (request instanceof Claim claim) {
            return claim(entry, claim, now);
        } else if (request instanceof Finish) {
            return entry.phase == Phase.COMPLETE ? finish(id, entry) : Code.CLOSED;
        } else if (request instanceof FanOutRequest.Postpone postpone && due.containsKey(id)) {
            long most = entry.phase == Phase.COMPLETE ? CLAIM_MILLIS : Long.MAX_VALUE;
            due.put(id, now + Math.min(postpone.millis(), most));
        }
        return Code.OK;
    }

    private Code open(Open open, @Nullable FanOutEntry entry, long now) {
        if (entry == null) {
            entries.put(open.id(), new FanOutEntry(open.plan(), open.token(), now));
            due.put(open.id(), now + SILENT_MILLIS);
            return Code.OK;
        } else if (entry.phase != Phase.OPEN) {
            return entry.reopened(open) ? Code.CLOSED : Code.FENCED;
        } else if (open.token() < entry.token) {
            return Code.FENCED;
        }
        entry.token = open.token();
        entry.hasForgotten |= entry.ended.length() > entry.cursor + WINDOW;
        due.put(open.id(), now + SILENT_MILLIS);
        return Code.RESUMED;
    }

    private static byte[] bits(FanOutEntry entry) {
        int from = (int) (entry.cursor / 8);
        int length = (entry.ended.length() + 7) / 8;
        byte[] bits = new byte[Math.max(0, Math.min(length - from, WINDOW_BYTES))];
        for (int bit = entry.ended.nextSetBit(from * 8); bit >= 0; bit = entry.ended.nextSetBit(bit + 1)) {
            int at = bit / 8 - from;
            if (at < bits.length) {
                bits[at] |= (byte) (0x80 >> bit % 8);
            }
        }
        return bits;
    }

    private static Code closed(FanOutEntry entry, long now) {
        return isFree(entry, now) ? Code.COMPLETE : Code.CLOSED;
    }

    private static boolean isFree(FanOutEntry entry, long now) {
        return entry.phase == Phase.COMPLETE && !entry.finished && entry.claimedUntil <= now;
    }

    private Code seal(FanOutEntry entry, Seal seal, long now) {
        if (entry.phase != Phase.OPEN) {
            return closed(entry, now);
        } else if (seal.token() != entry.token) {
            return Code.FENCED;
        } else if (entry.stop == Stop.NO && entry.endedBelow(entry.cursor + WINDOW) > entry.endedBelow(seal.total())) {
            return Code.NOT_REPEATABLE;
        }
        return sealed(seal.id(), entry, seal.total(), now);
    }

    private Code abandon(FanOutEntry entry, Abandon abandon, long now) {
        boolean awaited = entry.awaitsMaster;
        if ((entry.phase == Phase.OPEN || awaited) && abandon.token() < entry.token) {
            return Code.FENCED;
        }
        entry.awaitsMaster = false;
        Code code = Code.OK;
        if (entry.phase == Phase.OPEN) {
            stop(entry, Stop.ABANDONED, abandon.why());
            entry.isAbandoned = true;
            code = sealed(abandon.id(), entry, entry.cursor, now);
        } else if (!entry.isAbandoned) {
            return masterEnded(entry, abandon, awaited, now);
        } else if (awaited && entry.phase == Phase.SEALED) {
            code = judge(abandon.id(), entry, now);
        }
        if (abandon.cancels() && entry.phase == Phase.SEALED) {
            stop(entry, Stop.CANCELLED, abandon.why());
            due.put(abandon.id(), now + CLAIM_MILLIS);
        }
        return code;
    }

    private Code masterEnded(FanOutEntry entry, Abandon abandon, boolean awaited, long now) {
        if (entry.phase == Phase.COMPLETE) {
            return closed(entry, now);
        } else if (awaited && abandon.end() != End.SUCCEEDED) {
            entry.masterEnd = abandon.end();
            entry.masterWhy = abandon.why();
        }
        return judge(abandon.id(), entry, now) == Code.COMPLETE ? Code.COMPLETE : Code.CLOSED;
    }

    private static void stop(FanOutEntry entry, Stop stop, String why) {
        entry.isCancelled |= stop == Stop.CANCELLED;
        if (entry.stop == Stop.NO) {
            entry.stop = stop;
            entry.why = why;
        }
    }

    private static void noteUncounted(FanOutEntry entry, long total) {
        if (entry.stop != Stop.NO && (entry.ended.length() > total || entry.hasForgotten)) {
            entry.why += (entry.why.isEmpty() ? "" : "; ") + "more subtasks were published than are counted";
        }
    }

    private Code sealed(String id, FanOutEntry entry, long total, long now) {
        noteUncounted(entry, total);
        entry.phase = Phase.SEALED;
        entry.total = total;
        entry.cursor = total;
        due.remove(id);
        return judge(id, entry, now);
    }

    private Code tell(FanOutEntry entry, Tell tell, long now) {
        if (entry.phase == Phase.COMPLETE) {
            return closed(entry, now);
        }
        int number = (int) tell.number();
        String inner = entry.inner.get(number);
        if (inner != null && inner.equals(tell.inner())) {
            entry.inner.remove(number);
        } else if (inner != null) {
            return tell.inner() == null ? Code.NESTED : judge(tell.id(), entry, now);
        }
        boolean exists = entry.phase == Phase.OPEN || number < entry.total;
        if (exists && !entry.ended.get(number)) {
            entry.ended.set(number);
            if (tell.end() == End.FAILED) {
                entry.failed.set(number);
                if (entry.errors.size() < FanOutRecord.MAX_ERRORS) {
                    entry.errors.add(new FanOutRecord.Failure(number, tell.error() == null ? "" : tell.error()));
                }
            } else if (tell.end() == End.CANCELLED) {
                entry.cancelled.set(number);
            }
        }
        return judge(tell.id(), entry, now);
    }

    /** Returns the only page, in the order of the numbers. */
    private static String within(FanOutEntry entry) {
        return Stream.concat(Stream.of(FanOutRequest.Within.FIRST), new TreeMap<>(entry.inner).values().stream())
                .collect(Collectors.joining(" "));
    }

    /** Of copies, the first has the place. */
    private static Code nest(FanOutEntry entry, Nest nest) {
        int number = (int) nest.number();
        String inner = entry.inner.get(number);
        boolean hasOther = inner != null && !inner.equals(nest.inner());
        if (hasOther || entry.hasSucceeded(number)) {
            return Code.DUPLICATE;
        } else if (!nest.retried() && inner == null && entry.ended.get(number)) {
            return entry.failed.get(number) ? Code.HAS_FAILED : Code.DUPLICATE;
        } else if (entry.phase == Phase.COMPLETE) {
            return Code.CLOSED;
        }
        entry.inner.put(number, nest.inner());
        return Code.OK;
    }

    private static boolean tooManyFailed(FanOutEntry entry) {
        Rule rule = entry.plan.rule();
        if (entry.stop != Stop.NO || rule == Rule.COMPLETE || rule == Rule.PARTIAL && entry.phase == Phase.OPEN) {
            return false;
        }
        long failed = entry.failed.cardinality() + entry.cancelled.cardinality();
        return failed > (rule == Rule.PARTIAL ? (long) (entry.plan.mayFail() * entry.total) : 0);
    }

    private Code judge(String id, FanOutEntry entry, long now) {
        if (tooManyFailed(entry)) {
            entry.stop = Stop.FAILED;
        }
        if (entry.phase != Phase.SEALED || entry.count(entry.ended) < entry.total) {
            return Code.OK;
        } else if (entry.awaitsMaster) {
            due.put(id, now + SILENT_MILLIS);
            return Code.OK;
        }
        return complete(id, entry, now);
    }

    private Code giveUp(FanOutEntry entry, FanOutRequest.GiveUp end, long now) {
        if (entry.phase == Phase.COMPLETE) {
            return closed(entry, now);
        }
        stop(entry, Stop.CANCELLED, end.why());
        if (entry.phase == Phase.OPEN) {
            noteUncounted(entry, entry.cursor);
            entry.total = entry.cursor;
        }
        return complete(end.id(), entry, now);
    }

    private Code complete(String id, FanOutEntry entry, long now) {
        entry.phase = Phase.COMPLETE;
        entry.endedAt = now;
        if (entry.plan.finalQueue().isEmpty() && entry.plan.parent().isEmpty()) {
            return finish(id, entry);
        }
        due.put(id, now + CLAIM_MILLIS);
        return Code.COMPLETE;
    }

    private Code finish(String id, FanOutEntry entry) {
        entry.finished = true;
        due.remove(id);
        return Code.OK;
    }

    private Code claim(FanOutEntry entry, Claim claim, long now) {
        boolean again = !entry.finished && entry.claimedBy.equals(claim.claimant());
        if (!again && !isFree(entry, now)) {
            return Code.CLOSED;
        }
        entry.tries += again ? 0 : 1;
        entry.claimedBy = claim.claimant();
        entry.claimedUntil = now + claim.millis();
        due.put(claim.id(), now + claim.millis());
        return Code.OK;
    }

    private static FanOutRecord record(String id, FanOutEntry entry) {
        return new FanOutRecord(
                id,
                entry.plan,
                entry.phase,
                entry.stop,
                entry.why,
                entry.cursor,
                entry.total,
                entry.count(entry.ended),
                entry.count(entry.failed),
                entry.count(entry.cancelled),
                entry.since,
                entry.endedAt,
                entry.finished,
                entry.tries,
                entry.begunName,
                List.copyOf(entry.errors),
                entry.token,
                new FanOutRecord.Master(entry.awaitsMaster, entry.masterEnd, entry.masterWhy));
    }
}
