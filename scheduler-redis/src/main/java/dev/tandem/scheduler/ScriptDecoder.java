package dev.tandem.scheduler;

import dev.tandem.task.store.ReadLines;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.LineTask;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns the scripts' replies into answers. */
final class ScriptDecoder {

    private ScriptDecoder() {}

    /**
     * Decodes a reply that cannot have several pages, see {@link #paged}.
     *
     * @param durable what the answers to renewals and forwarded redeliveries say about replicas
     */
    static StoreAnswer decode(StoreRequest request, List<Object> reply, boolean durable) {
        ReplyReader in = new ReplyReader(reply);
        int code = in.count();
        return switch (code) {
            case ScriptCodes.REPLY_OK -> applied(request, in, durable);
            case ScriptCodes.REPLY_APPLIED -> new StoreAnswer.AlreadyApplied();
            case ScriptCodes.REPLY_GAP -> new StoreAnswer.Gap(in.number());
            case ScriptCodes.REPLY_FENCED -> new StoreAnswer.Fenced();
            case ScriptCodes.REPLY_REFUSED -> new StoreAnswer.Refused(in.text(), in.number(), in.text());
            default -> throw ScriptCodes.unknown("reply code", code);
        };
    }

    /** Begins to read a reply that may have several pages. Null if it has not, or if the request was not applied. */
    static @Nullable PagedReply paged(StoreRequest request, List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        if (in.count() != ScriptCodes.REPLY_OK) {
            return null;
        } else if (request instanceof StoreRequest.Acquire acquire) {
            return new AcquireReply(in, acquire.leaseMillis());
        }
        return request instanceof StoreRequest.ListKnownPositions ? new KnownPositionsReply(reply) : null;
    }

    private static StoreAnswer applied(StoreRequest request, ReplyReader in, boolean durable) {
        if (request instanceof StoreRequest.SettleAndClaim sent) {
            return new StoreAnswer.SettledAndClaimed(
                    settleResults(in.list(), sent.settles().size()),
                    claimResults(in.list(), sent.claims().size()));
        } else if (request instanceof StoreRequest.TakeCustody) {
            return new StoreAnswer.CustodyTaken(handOverResults(in.bytes()), in.number());
        } else if (request instanceof StoreRequest.RenewLeases) {
            return new StoreAnswer.LeasesRenewed(
                    in.text(),
                    in.list().all(ReplyReader::position),
                    in.list().all(ReplyReader::text),
                    in.number(),
                    in.number(),
                    new StoreAnswer.Custody(in.number(), in.number()),
                    in.number(),
                    new StoreAnswer.TokenTime(in.number(), in.number()),
                    durable);
        } else if (request instanceof StoreRequest.ClaimDue) {
            return new StoreAnswer.DueTasks(
                    in.list().all(ScriptDecoder::claimedTask),
                    in.list().all(ScriptDecoder::offeredTask),
                    in.number(),
                    in.flag());
        } else if (request instanceof ReadLines) {
            return new StoreAnswer.LinesRead(
                    in.list().all(ScriptDecoder::lineTask),
                    in.list().all(ReplyReader::count),
                    in.list().all(ReplyReader::count));
        } else if (request instanceof StoreRequest.ExpireLeases) {
            return new StoreAnswer.LeasesExpired(
                    in.count(), in.list().all(ScriptDecoder::waitingKey), in.number(), in.number());
        } else if (request instanceof StoreRequest.KeepClaims) {
            return new StoreAnswer.ClaimsKept(in.list().all(ReplyReader::position));
        } else if (request instanceof StoreRequest.SettleLate) {
            return new StoreAnswer.LateSettled(in.flag());
        } else if (request instanceof StoreRequest.ForwardRedeliveries) {
            return new StoreAnswer.RedeliveriesForwarded(in.text(), handOverResults(in.bytes()), durable);
        } else if (request instanceof RunRequest run) {
            return RunRequestCodec.decode(run, in);
        }
        return new StoreAnswer.Ok(in.number());
    }

    private static BlockedKey waitingKey(ReplyReader in) {
        return new BlockedKey(in.text(), BlockReason.REDELIVERY, in.position());
    }

    private static LineTask lineTask(ReplyReader in) {
        return new LineTask(in.count(), in.position(), in.number(), in.flag(), in.bytes());
    }

    private static DueTask claimedTask(ReplyReader in) {
        return new DueTask(in.position(), in.number(), in.count(), in.bytes(), in.flag());
    }

    private static DueTask offeredTask(ReplyReader in) {
        return new DueTask(in.position(), 0, in.count(), in.bytes(), false);
    }

    /** The reply names only the exceptions, by index. */
    private static List<SettleResult> settleResults(ReplyReader in, int count) {
        List<SettleResult> usual = Collections.nCopies(count, SettleResult.Ok.PLAIN);
        if (!in.hasMore()) {
            return usual;
        }
        List<SettleResult> results = new ArrayList<>(usual);
        while (in.hasMore()) {
            int index = in.count() - 1;
            results.set(index, settleResult(in));
        }
        return results;
    }

    private static SettleResult settleResult(ReplyReader in) {
        int code = in.count();
        return switch (code) {
            case ScriptCodes.SETTLE_OPENED -> SettleResult.Ok.OPENED;
            case ScriptCodes.SETTLE_DONE -> SettleResult.Done.INSTANCE;
            case ScriptCodes.SETTLE_REFUSED -> SettleResult.Refused.INSTANCE;
            case ScriptCodes.SETTLE_NEXT -> new SettleResult.Next(in.position(), in.count(), in.bytes());
            default -> throw ScriptCodes.unknown("settle result", code);
        };
    }

    /** The reply names only the exceptions, by index. */
    private static List<ClaimResult> claimResults(ReplyReader in, int count) {
        List<ClaimResult> usual = Collections.nCopies(count, ClaimResult.Ok.FIRST);
        if (!in.hasMore()) {
            return usual;
        }
        List<ClaimResult> results = new ArrayList<>(usual);
        while (in.hasMore()) {
            int index = in.count() - 1;
            results.set(index, claimResult(in));
        }
        return results;
    }

    private static ClaimResult claimResult(ReplyReader in) {
        int code = in.count();
        return switch (code) {
            case ScriptCodes.CLAIM_LAPSED_BEFORE -> new ClaimResult.Ok(in.count());
            case ScriptCodes.CLAIM_DONE -> ClaimResult.Done.INSTANCE;
            case ScriptCodes.CLAIM_KEY_BLOCKED -> new ClaimResult.KeyBlocked(in.position());
            default -> throw ScriptCodes.unknown("claim result", code);
        };
    }

    private static List<HandOverResult> handOverResults(byte[] letters) {
        List<HandOverResult> results = new ArrayList<>(letters.length);
        for (byte letter : letters) {
            results.add(ScriptCodes.handOverResult((char) letter));
        }
        return results;
    }
}
