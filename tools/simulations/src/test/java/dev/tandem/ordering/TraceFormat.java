package dev.tandem.ordering;

import dev.tandem.task.store.ReadLines;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.OwnerRequest;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.RenewLeases;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.SettleLate;
import dev.tandem.task.store.StoreRequest.TakeCustody;

/** Formats requests and answers shortly, for traces. */
final class TraceFormat {

    private TraceFormat() {}

    /** Formats a token, which counts microseconds, from the beginning of the history. */
    static String token(long token) {
        return token == 0 ? "-" : Long.toString(token - SimStore.WALL * 1_000);
    }

    static String of(StoreRequest request) {
        StringBuilder out = new StringBuilder();
        if (request instanceof OwnerRequest numbered) {
            out.append(numbered.header().number()).append(' ');
        }
        out.append(request.getClass().getSimpleName())
                .append(' ')
                .append(request.partition().name());
        if (request instanceof Acquire acquire) {
            add(out, acquire);
        } else if (request instanceof SettleAndClaim step) {
            step.settles().forEach(settle -> add(out, settle));
            for (Claim claim : step.claims()) {
                out.append(" claim ")
                        .append(claim.position())
                        .append(' ')
                        .append(claim.key())
                        .append(' ');
                out.append(token(claim.token())).append(claim.inStore() ? " in store" : "");
            }
        } else if (request instanceof TakeCustody hand) {
            for (HandOver entry : hand.entries()) {
                out.append(' ').append(entry.move().getClass().getSimpleName()).append(' ');
                out.append(entry.position()).append(' ').append(entry.key());
                out.append(entry.envelope() == null ? " (in store)" : "");
            }
        } else if (request instanceof SettleLate late) {
            add(out, late.settle());
        } else if (request instanceof RenewLeases renew && !renew.positions().isEmpty()) {
            out.append(renew.positions());
        } else if (request instanceof StoreRequest.ForwardRedeliveries redeliver) {
            redeliver.messages().forEach(message -> out.append(' ').append(message.position()));
        } else if (request instanceof StoreRequest.KeepClaims keep) {
            out.append(keep.positions());
        } else if (request instanceof StoreRequest.ClaimDue due) {
            out.append(" claims ").append(due.maxClaims()).append(" from ").append(token(due.firstToken()));
            out.append(" offers ").append(due.maxOffers()).append(" ahead ").append(due.maxAhead());
            out.append(" busy ").append(due.busyKeys());
        } else if (request instanceof ReadLines read) {
            out.append(' ').append(read.lines()).append(" find from ").append(read.findFrom());
        } else if (request instanceof StoreRequest.DeclineOffers decline) {
            decline.offers().forEach(offer -> out.append(' ').append(offer));
        } else if (request instanceof StoreRequest.AbandonPosition gone) {
            out.append(' ').append(gone.position()).append(' ').append(gone.key());
        } else if (request instanceof StoreRequest.RecordCommit committed) {
            out.append(' ').append(committed.committed());
        } else if (request instanceof StoreRequest.ExpireLeases patrol && patrol.extendMillis() > 0) {
            out.append(" extend ").append(patrol.extendMillis());
        }
        return out.toString();
    }

    private static void add(StringBuilder out, Acquire acquire) {
        out.append(" generation ").append(acquire.generation());
        out.append(" committed ").append(acquire.committed());
        if (acquire.cut() != Acquire.NO_CUT) {
            out.append(" cut ").append(acquire.cut()).append(" of ").append(acquire.cutOf());
        }
        for (PresentedClaim p : acquire.presented()) {
            out.append(" (").append(p.position()).append(' ').append(p.key()).append(' ');
            out.append(token(p.token())).append(" bit ").append(p.mark()).append(')');
        }
    }

    private static void add(StringBuilder out, Settle settle) {
        out.append(' ').append(settle.verdict().getClass().getSimpleName()).append(' ');
        out.append(settle.position())
                .append(' ')
                .append(settle.key())
                .append(' ')
                .append(token(settle.token()));
        if (settle.nextToken() != 0) {
            out.append(" next ").append(token(settle.nextToken()));
        }
    }

    static String of(StoreAnswer answer) {
        if (answer instanceof StoreAnswer.Acquired a) {
            return "Acquired " + token(a.epoch()) + " " + a.runId() + " incarnation " + a.incarnation()
                    + " stored commit "
                    + a.storedCommit() + " other claims " + a.otherClaims() + " blocked " + a.blocked() + " holds "
                    + a.presentedTokens().stream().map(TraceFormat::token).toList();
        } else if (answer instanceof StoreAnswer.SettledAndClaimed stepped) {
            return stepped.settles() + " " + stepped.claims();
        } else if (answer instanceof StoreAnswer.CustodyTaken handed) {
            return handed.results() + " due in " + handed.nextDueMillis();
        }
        if (answer instanceof StoreAnswer.KnownPositions recalled) {
            StoreAnswer.RedeliveryHistory history = recalled.history();
            return "Known " + recalled.runId() + (recalled.complete() ? "" : " incomplete") + " claims "
                    + recalled.claims() + " lapsed " + history.lapsed()
                    + " awaiting redelivery " + history.awaitingRedelivery() + " pages "
                    + history.pages().stream()
                            .map(page -> page.number() + "="
                                    + new String(page.identities(), java.nio.charset.StandardCharsets.US_ASCII))
                            .toList();
        }
        return answer.toString();
    }
}
