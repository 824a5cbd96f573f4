package dev.tandem.ordering;

import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Entry;
import dev.tandem.task.store.StoreRequest.Hand;
import dev.tandem.task.store.StoreRequest.Late;
import dev.tandem.task.store.StoreRequest.Numbered;
import dev.tandem.task.store.StoreRequest.Presented;
import dev.tandem.task.store.StoreRequest.Renew;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Step;

/** Requests and answers in a few words, for traces. */
final class Say {

    private Say() {}

    /** Tokens count microseconds; here they begin with the history. */
    static String token(long token) {
        return token == 0 ? "-" : Long.toString(token - ModelStore.WALL * 1_000);
    }

    static String it(StoreRequest request) {
        StringBuilder out = new StringBuilder();
        if (request instanceof Numbered numbered) {
            out.append(numbered.line().number()).append(' ');
        }
        out.append(request.getClass().getSimpleName())
                .append(' ')
                .append(request.partition().name());
        if (request instanceof Acquire acquire) {
            out.append(" generation ").append(acquire.generation());
            out.append(" committed ").append(acquire.committed());
            for (Presented p : acquire.presented()) {
                out.append(" (")
                        .append(p.position())
                        .append(' ')
                        .append(p.key())
                        .append(' ');
                out.append(token(p.token())).append(" bit ").append(p.bit()).append(')');
            }
        } else if (request instanceof Step step) {
            step.settles().forEach(settle -> add(out, settle));
            for (Claim claim : step.claims()) {
                out.append(" claim ")
                        .append(claim.position())
                        .append(' ')
                        .append(claim.key())
                        .append(' ');
                out.append(token(claim.token())).append(claim.held() ? " held" : "");
            }
        } else if (request instanceof Hand hand) {
            for (Entry entry : hand.entries()) {
                out.append(' ').append(entry.move().getClass().getSimpleName()).append(' ');
                out.append(entry.position()).append(' ').append(entry.key());
                out.append(entry.envelope() == null ? " (held)" : "");
            }
        } else if (request instanceof Late late) {
            add(out, late.settle());
        } else if (request instanceof Renew renew && !renew.positions().isEmpty()) {
            out.append(renew.positions());
        } else if (request instanceof StoreRequest.Redeliver redeliver) {
            redeliver.messages().forEach(message -> out.append(' ').append(message.position()));
        } else if (request instanceof StoreRequest.Keep keep) {
            out.append(keep.positions());
        } else if (request instanceof StoreRequest.Due due) {
            out.append(" claims ").append(due.maxClaims()).append(" from ").append(token(due.firstToken()));
            out.append(" offers ").append(due.maxOffers());
        } else if (request instanceof StoreRequest.Gone gone) {
            out.append(' ').append(gone.position()).append(' ').append(gone.key());
        } else if (request instanceof StoreRequest.Committed committed) {
            out.append(' ').append(committed.committed());
        } else if (request instanceof StoreRequest.Patrol patrol && patrol.extendMillis() > 0) {
            out.append(" extend ").append(patrol.extendMillis());
        }
        return out.toString();
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

    static String it(StoreAnswer answer) {
        if (answer instanceof StoreAnswer.Acquired a) {
            return "Acquired " + token(a.epoch()) + " " + a.runId() + " incarnation " + a.incarnation() + " mirror "
                    + a.mirror() + " foreign " + a.foreign() + " blocked " + a.blocked() + " holds "
                    + a.presentedTokens().stream().map(Say::token).toList();
        } else if (answer instanceof StoreAnswer.Stepped stepped) {
            return stepped.settles() + " " + stepped.claims();
        } else if (answer instanceof StoreAnswer.Handed handed) {
            return handed.codes() + " due in " + handed.nextDueMillis();
        }
        if (answer instanceof StoreAnswer.Recalled recalled) {
            StoreAnswer.Past past = recalled.past();
            return "Recalled " + recalled.runId() + (recalled.complete() ? "" : " incomplete") + " claims "
                    + recalled.claims() + " lapsed " + past.lapsed()
                    + " owed " + past.owed() + " pages "
                    + past.pages().stream()
                            .map(page -> page.number() + "="
                                    + new String(page.identities(), java.nio.charset.StandardCharsets.US_ASCII))
                            .toList();
        }
        return answer.toString();
    }
}
