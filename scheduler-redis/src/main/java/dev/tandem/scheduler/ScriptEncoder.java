package dev.tandem.scheduler;

import dev.tandem.task.Position;
import dev.tandem.task.store.ReadLines;
import dev.tandem.task.store.ReadLines.LineRead;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Declined;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Redelivery;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Turns requests into script calls. The header of each script gives the order of its arguments. */
final class ScriptEncoder {

    static final byte[] NO_ENVELOPE = {};

    private ScriptEncoder() {}

    /**
     * Encodes a request.
     *
     * @param keys the names of the channels that scripts publish on
     * @param now epoch milliseconds, recorded in claims as the time of their start
     * @param keepSuccesses whether to send what is kept of tasks that succeeded
     * @param events makes the events of outcomes; null if the queue has none
     */
    static ScriptCall encode(
            StoreRequest request, RedisKeys keys, long now, boolean keepSuccesses, @Nullable LinkEvents events) {
        if (request instanceof StoreRequest.SettleAndClaim step) {
            return new SettleAndClaimEncoder(now, keepSuccesses, events).encode(step);
        } else if (request instanceof StoreRequest.OwnerRequest owners) {
            return encode(owners, keepSuccesses, events);
        } else if (request instanceof StoreRequest.KeepClaims keep) {
            return ScriptCall.of(Script.KEEP_CLAIMS)
                    .number(keep.leaseMillis())
                    .bytes(claimNames(keep.positions(), keep.tokens()))
                    .build();
        } else if (request instanceof StoreRequest.SettleLate late) {
            return settleLate(late, keys, keepSuccesses, events);
        } else if (request instanceof StoreRequest.ListKnownPositions) {
            return KnownPositionsReply.firstPage();
        } else if (request instanceof StoreRequest.ForwardRedeliveries forward) {
            return forwardRedeliveries(forward, keys);
        } else if (request instanceof RunRequest run) {
            return RunRequestCodec.encode(run);
        }
        throw new IllegalArgumentException("Unknown request " + request.getClass());
    }

    private static ScriptCall encode(
            StoreRequest.OwnerRequest request, boolean keepSuccesses, @Nullable LinkEvents events) {
        RequestHeader header = request.header();
        if (request instanceof StoreRequest.Acquire acquire) {
            return acquire(acquire);
        } else if (request instanceof StoreRequest.TakeCustody take) {
            return takeCustody(take, keepSuccesses, events);
        } else if (request instanceof StoreRequest.RenewLeases renew) {
            return ScriptCall.of(Script.RENEW_LEASES, header, 0)
                    .number(renew.leaseMillis())
                    .bytes(claimNames(renew.positions(), renew.tokens()))
                    .build();
        } else if (request instanceof StoreRequest.ClaimDue due) {
            return claimDue(due);
        } else if (request instanceof StoreRequest.DeclineOffers decline) {
            return ScriptCall.of(Script.DECLINE_OFFERS, header, 0)
                    .bytes(declined(decline.offers()))
                    .build();
        } else if (request instanceof ReadLines read) {
            return readLines(read);
        } else if (request instanceof StoreRequest.ExpireLeases expire) {
            return ScriptCall.of(Script.EXPIRE_LEASES, header, 0)
                    .number(expire.limit())
                    .number(expire.extendMillis())
                    .flag(expire.ordered())
                    .build();
        } else if (request instanceof StoreRequest.RecordCommit commit) {
            return ScriptCall.of(Script.RECORD_COMMIT, header, 0)
                    .text(ScriptCodes.incarnation(commit.incarnation()))
                    .number(commit.committed())
                    .build();
        } else if (request instanceof StoreRequest.AbandonPosition abandon) {
            return ScriptCall.of(Script.ABANDON_POSITION, header, 0)
                    .text(abandon.position().text())
                    .key(abandon.key())
                    .build();
        } else if (request instanceof StoreRequest.Release) {
            return ScriptCall.of(Script.RELEASE, header, 0).build();
        }
        throw new IllegalArgumentException("Unknown request " + request.getClass());
    }

    private static byte[] declined(List<Declined> offers) {
        MessagePackWriter lists = new MessagePackWriter().list(3);
        positions(lists, offers, Declined::position);
        lists.list(offers.size());
        offers.forEach(offer -> lists.text(offer.key()));
        lists.list(offers.size());
        offers.forEach(offer -> lists.number(offer.delayMillis()));
        return lists.toByteArray();
    }

    private static ScriptCall claimDue(StoreRequest.ClaimDue due) {
        List<String> busy = due.busyKeys();
        MessagePackWriter keys = new MessagePackWriter();
        if (busy != null) {
            keys.list(busy.size());
            busy.forEach(keys::text);
        }
        return ScriptCall.of(Script.CLAIM_DUE, due.header(), 0)
                .number(due.leaseMillis())
                .number(due.maxClaims())
                .number(due.maxOffers())
                .number(due.firstToken())
                .flag(due.ordered())
                .number(due.maxAhead())
                .bytes(keys.toByteArray())
                .build();
    }

    private static ScriptCall acquire(StoreRequest.Acquire acquire) {
        RequestHeader header = acquire.header();
        List<PresentedClaim> presented = acquire.presented();
        MessagePackWriter lists = new MessagePackWriter().list(6);
        positions(lists, presented, PresentedClaim::position);
        lists.list(presented.size());
        presented.forEach(each -> lists.token(each.token()));
        lists.list(presented.size());
        presented.forEach(each -> key(lists, each.key()));
        lists.list(presented.size());
        presented.forEach(each -> lists.number(ScriptCodes.mark(each.mark())));
        lists.list(presented.size());
        presented.forEach(each -> lists.number(each.outcomeNumber()));
        lists.list(presented.size());
        presented.forEach(each -> lists.token(each.relayedFrom()));
        ClaimRecord.requireShort(acquire.executor());
        return ScriptCall.of(Script.ACQUIRE)
                .text(header.writer())
                .number(header.number())
                .text(acquire.executor())
                .number(acquire.leaseMillis())
                .number(acquire.generation())
                .text(acquire.sourceId())
                .number(acquire.committed())
                .bytes(lists.toByteArray())
                .number(header.epoch())
                .number(acquire.cut())
                .number(acquire.cutOf())
                .build();
    }

    private static ScriptCall takeCustody(
            StoreRequest.TakeCustody take, boolean keepSuccesses, @Nullable LinkEvents events) {
        List<HandOver> entries = take.entries();
        MessagePackWriter lists = new MessagePackWriter().list(events == null ? 8 : 9);
        positions(lists, entries, HandOver::position);
        lists.list(entries.size());
        entries.forEach(entry -> key(lists, entry.key()));
        lists.list(entries.size());
        entries.forEach(entry -> lists.number(ScriptCodes.mark(entry.mark())));
        lists.list(entries.size());
        entries.forEach(entry -> lists.letter(ScriptCodes.move(entry.move())));
        lists.list(entries.size());
        entries.forEach(entry -> lists.number(numberOf(entry.move())));
        lists.list(entries.size());
        List<byte[]> envelopes = new ArrayList<>(entries.size());
        for (HandOver entry : entries) {
            byte[] envelope = entry.envelope();
            lists.number(envelope == null ? -1 : envelopes.size());
            if (envelope != null) {
                envelopes.add(envelope);
            }
        }
        SuccessPage kept = keepSuccesses ? SuccessPage.ofCancelled(entries) : SuccessPage.NONE;
        lists.bytes(kept.page()).bytes(kept.hashes());
        if (events != null) {
            lists.text(events.policy());
        }
        ScriptCall.Builder call = ScriptCall.of(Script.TAKE_CUSTODY, take.header(), 0)
                .text(ScriptCodes.incarnation(take.incarnation()))
                .number(take.highWater())
                .number(take.maxParkedPerKey())
                .number(take.maxParkedPerPartition())
                .bytes(lists.toByteArray());
        envelopes.forEach(call::bytes);
        return call.build();
    }

    /** Returns the number that belongs to a move. */
    private static long numberOf(Move move) {
        if (move instanceof Move.Park park) {
            return park.mostInTurn();
        }
        if (move instanceof Move.JoinLine join) {
            return join.line();
        }
        return move instanceof Move.Schedule schedule ? schedule.dueAt() : 0;
    }

    private static ScriptCall readLines(ReadLines read) {
        List<LineRead> lines = read.lines();
        MessagePackWriter lists = new MessagePackWriter().list(3);
        lists.list(lines.size());
        lines.forEach(each -> lists.number(each.line()));
        lists.list(lines.size());
        lines.forEach(each -> lists.number(each.after()));
        lists.list(lines.size());
        lines.forEach(each -> lists.number(each.most()));
        return ScriptCall.of(Script.READ_LINES, read.header(), 0)
                .bytes(lists.toByteArray())
                .number(read.findFrom())
                .build();
    }

    private static ScriptCall settleLate(
            StoreRequest.SettleLate late, RedisKeys keys, boolean keepSuccesses, @Nullable LinkEvents events) {
        Settle settle = late.settle();
        byte[] envelope = envelope(settle.verdict());
        Claim then = settle.then();
        SuccessPage kept = keepSuccesses ? SuccessPage.of(List.of(settle)) : SuccessPage.NONE;
        ScriptCall.Builder call = ScriptCall.of(Script.SETTLE_LATE)
                .text(ScriptCodes.incarnation(late.incarnation()))
                .text(keys.wakeChannel(late.partition()))
                .text(settle.position().text())
                .token(settle.token())
                .number(ScriptCodes.mark(settle.mark()))
                .letter(ScriptCodes.verdict(settle.verdict()))
                .number(delay(settle.verdict()))
                .bytes(envelope == null ? NO_ENVELOPE : envelope)
                .key(settle.key())
                .text(then == null ? "" : then.position().text())
                .token(then == null ? 0 : then.token())
                .bytes(kept.page())
                .bytes(kept.hashes());
        if (events != null) {
            call.bytes(events.page(List.of(settle))).text(events.policy());
        }
        return call.build();
    }

    private static ScriptCall forwardRedeliveries(StoreRequest.ForwardRedeliveries forward, RedisKeys keys) {
        List<Redelivery> messages = forward.messages();
        MessagePackWriter list = new MessagePackWriter();
        positions(list, messages, Redelivery::position);
        ScriptCall.Builder call = ScriptCall.of(Script.FORWARD_REDELIVERIES)
                .text(forward.asker())
                .text(keys.wakeChannel(forward.partition()))
                .number(forward.notBeforeMillis())
                .bytes(list.toByteArray());
        messages.forEach(message -> call.bytes(message.envelope()));
        return call.build();
    }

    static long delay(Verdict verdict) {
        return verdict instanceof Verdict.Retry retry ? retry.delayMillis() : 0;
    }

    /** Returns the envelope that a verdict stores; null if it stores none. */
    static byte @Nullable [] envelope(Verdict verdict) {
        if (verdict instanceof Verdict.Retry retry) {
            return retry.envelope();
        } else if (verdict instanceof Verdict.Dead dead) {
            return dead.envelope();
        }
        return null;
    }

    /** Packs claims as scripts that extend leases name them: positions and tokens. */
    private static byte[] claimNames(List<Position> positions, long[] tokens) {
        MessagePackWriter lists = new MessagePackWriter().list(2);
        positions(lists, positions, position -> position);
        lists.list(tokens.length);
        for (long token : tokens) {
            lists.token(token);
        }
        return lists.toByteArray();
    }

    static <T> void positions(MessagePackWriter out, List<T> items, Function<T, Position> position) {
        out.list(items.size());
        for (T item : items) {
            out.text(position.apply(item).text());
        }
    }

    static void key(MessagePackWriter out, @Nullable String key) {
        if (key == null) {
            out.no();
        } else {
            out.text(key);
        }
    }
}
