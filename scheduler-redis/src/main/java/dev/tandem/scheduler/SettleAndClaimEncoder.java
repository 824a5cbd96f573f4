package dev.tandem.scheduler;

import dev.tandem.task.Position;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.TaskEnd;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the request of the hot path. What most requests have none of is left out: {@code settle_and_claim.lua}
 * describes the lists.
 */
final class SettleAndClaimEncoder {

    private static final byte[] NO_KEYS = {};

    private final long now;
    private final boolean keepSuccesses;
    private final @Nullable LinkEvents events;

    /**
     * @param now epoch milliseconds, recorded in claims as the time of their start
     * @param keepSuccesses whether to send what is kept of tasks that succeeded
     * @param events makes the events of outcomes; null if the queue has none
     */
    SettleAndClaimEncoder(long now, boolean keepSuccesses, @Nullable LinkEvents events) {
        this.now = now;
        this.keepSuccesses = keepSuccesses;
        this.events = events;
    }

    ScriptCall encode(StoreRequest.SettleAndClaim request) {
        List<Settle> settles = request.settles();
        List<Claim> claims = request.claims();
        long highestToken =
                Math.max(highest(settles, SettleAndClaimEncoder::highestToken), highest(claims, Claim::token));
        List<byte[]> envelopes = new ArrayList<>();
        MessagePackWriter lists = new MessagePackWriter().list(events == null ? 14 : 16);
        settles(lists, settles, envelopes);
        claims(lists, claims);
        lists.number(hasTwice(settles, Settle::position) || hasTwice(claims, Claim::position) ? 1 : 0);
        relays(lists, settles);
        askedBits(lists, claims);
        SuccessPage kept = keepSuccesses ? SuccessPage.of(settles) : SuccessPage.NONE;
        lists.bytes(kept.page()).bytes(kept.hashes());
        if (events != null) {
            lists.bytes(settles.isEmpty() ? EventPage.NONE : events.page(settles))
                    .text(events.policy());
        }
        ScriptCall.Builder call = ScriptCall.of(Script.SETTLE_AND_CLAIM, request.header(), highestToken)
                .number(request.leaseMillis())
                .text(ScriptCodes.incarnation(request.incarnation()))
                .number(request.highWater())
                .bytes(lists.toByteArray());
        envelopes.forEach(call::bytes);
        return call.build();
    }

    private static void settles(MessagePackWriter lists, List<Settle> settles, List<byte[]> envelopes) {
        boolean anyKey = false;
        boolean anyMark = false;
        boolean anyNextToken = false;
        int verdictItems = 0;
        for (Settle settle : settles) {
            anyKey |= settle.key() != null;
            anyMark |= settle.mark() != SettledMark.NONE;
            anyNextToken |= settle.nextToken() > 0;
            verdictItems += isPlain(settle.verdict()) ? 0 : 4;
        }
        ScriptEncoder.positions(lists, settles, Settle::position);
        lists.list(settles.size());
        settles.forEach(settle -> lists.token(settle.token()));
        lists.bytes(anyKey ? keys(settles) : NO_KEYS);
        lists.list(anyMark ? settles.size() : 0);
        if (anyMark) {
            settles.forEach(settle -> lists.number(ScriptCodes.mark(settle.mark())));
        }
        lists.list(anyNextToken ? settles.size() : 0);
        if (anyNextToken) {
            settles.forEach(settle -> nextToken(lists, settle));
        }
        lists.list(verdictItems);
        for (int i = 0; i < settles.size(); i++) {
            Verdict verdict = settles.get(i).verdict();
            if (!isPlain(verdict)) {
                lists.number(i + 1)
                        .letter(ScriptCodes.verdict(verdict))
                        .number(ScriptEncoder.delay(verdict))
                        .number(envelopes.size());
                byte[] envelope = ScriptEncoder.envelope(verdict);
                envelopes.add(envelope == null ? ScriptEncoder.NO_ENVELOPE : envelope);
            }
        }
    }

    /** Packs the keys as a list in itself, because the script seldom needs to look at it. */
    private static byte[] keys(List<Settle> settles) {
        MessagePackWriter list = new MessagePackWriter().list(settles.size());
        settles.forEach(settle -> ScriptEncoder.key(list, settle.key()));
        return list.toByteArray();
    }

    private static void nextToken(MessagePackWriter lists, Settle settle) {
        if (settle.nextToken() > 0) {
            lists.token(settle.nextToken());
        } else {
            lists.no();
        }
    }

    private void relays(MessagePackWriter lists, List<Settle> settles) {
        int count =
                (int) settles.stream().filter(settle -> settle.then() != null).count();
        lists.list(3 * count);
        for (int i = 0; i < settles.size(); i++) {
            Claim then = settles.get(i).then();
            if (then != null) {
                lists.number(i + 1).text(then.position().text()).bytes(record(then));
            }
        }
    }

    private void claims(MessagePackWriter lists, List<Claim> claims) {
        ScriptEncoder.positions(lists, claims, Claim::position);
        lists.list(claims.size());
        int inStore = 0;
        for (Claim claim : claims) {
            lists.bytes(record(claim));
            inStore += claim.inStore() ? 1 : 0;
        }
        lists.list(inStore);
        for (int i = 0; i < claims.size(); i++) {
            if (claims.get(i).inStore()) {
                lists.number(i + 1);
            }
        }
    }

    private byte[] record(Claim claim) {
        String key = claim.key();
        return ClaimRecord.covered(now, claim.token(), key == null ? null : key.getBytes(StandardCharsets.UTF_8));
    }

    private static void askedBits(MessagePackWriter lists, List<Claim> claims) {
        int items = 0;
        for (Claim claim : claims) {
            items += asksForBit(claim) ? 2 : 0;
        }
        lists.list(items);
        for (int i = 0; i < claims.size(); i++) {
            if (asksForBit(claims.get(i))) {
                lists.number(i + 1).number(ScriptCodes.mark(claims.get(i).check()));
            }
        }
    }

    private static boolean asksForBit(Claim claim) {
        return claim.check() != SettledMark.NONE && !claim.inStore();
    }

    private static boolean isPlain(Verdict verdict) {
        return verdict instanceof Verdict.Success success && success.end() == TaskEnd.SUCCEEDED;
    }

    private static long highestToken(Settle settle) {
        Claim then = settle.then();
        return then == null ? settle.nextToken() : Math.max(then.token(), settle.nextToken());
    }

    private static <T> boolean hasTwice(List<T> items, Function<T, Position> position) {
        Set<Position> seen = new HashSet<>(items.size() * 2);
        for (T item : items) {
            if (!seen.add(position.apply(item))) {
                return true;
            }
        }
        return false;
    }

    private static <T> long highest(List<T> items, ToLongFunction<T> token) {
        long highest = 0;
        for (T item : items) {
            highest = Math.max(highest, token.applyAsLong(item));
        }
        return highest;
    }
}
