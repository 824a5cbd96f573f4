package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupPolicy;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.TaskIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns requests about deduplication keys into arguments of a script, and the script's reply into answers. */
final class DedupCodec {

    private static final int ITEMS_OF_ASK = 16;
    private static final int ITEMS_OF_TELL = 10;

    private DedupCodec() {}

    static byte[] encode(DedupRequest request) {
        MessagePackWriter out = new MessagePackWriter();
        if (request instanceof DedupRequest.Ask ask) {
            char what = ask.begins() ? ScriptCodes.DEDUP_BEGIN : ScriptCodes.DEDUP_ASK;
            begin(out.list(ITEMS_OF_ASK).letter(what), ask.task()).number(ask.delayMillis());
            DedupPolicy policy = ask.policy();
            return out.letter(ScriptCodes.dedupMode(policy.mode()))
                    .number(policy.windowMillis())
                    .number(policy.untilDone() ? 1 : 0)
                    .number(policy.retentionMillis())
                    .number(policy.releaseOnFailure() ? 1 : 0)
                    .number(policy.lostAfterMillis())
                    .number(policy.keptMillis())
                    .toByteArray();
        }
        DedupRequest.Tell tell = (DedupRequest.Tell) request;
        return begin(out.list(ITEMS_OF_TELL).letter(ScriptCodes.dedupEnding(tell.ending())), tell.task())
                .number(tell.delayMillis())
                .number(tell.keptMillis())
                .toByteArray();
    }

    private static MessagePackWriter begin(MessagePackWriter out, TaskIdentity task) {
        return out.text(task.partition())
                .text(task.position().text())
                .text(task.identity())
                .number(ScriptCodes.identityOf(task))
                .number(task.surelyNew() ? 1 : 0)
                .text(task.name())
                .number(task.token());
    }

    static List<DedupAnswer> decode(List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        // The code of the reply, and the time.
        in.number();
        in.number();
        List<DedupAnswer> answers = new ArrayList<>();
        while (in.hasMore()) {
            answers.add(answer(in));
        }
        return answers;
    }

    /** Reads what is known of a key. */
    static Optional<DedupKeyView> view(String queue, List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        if (!in.hasMore()) {
            return Optional.empty();
        }
        char code = in.text().charAt(0);
        if (code == ScriptCodes.BEARER_AWAITED) {
            return Optional.empty();
        }
        DedupKeyView.Bearer state = ScriptCodes.bearer(code);
        String place = in.text();
        int slash = place.indexOf('/');
        Partition partition = new Partition(queue, place.substring(0, slash));
        Position position = new Position(place.substring(slash + 1));
        String id = in.text();
        long since = in.number();
        long dueAt = in.number();
        long takenUntil = in.number();
        boolean isTaken = in.number() < takenUntil;
        return Optional.of(
                new DedupKeyView(state, partition, position, id, since, dueAt, takenUntil, isTaken, in.number()));
    }

    private static DedupAnswer answer(ReplyReader in) {
        int code = in.count();
        if (code == ScriptCodes.DEDUP_WAIT) {
            return new DedupAnswer.Wait(in.number());
        }
        String detail = in.text();
        return switch (code) {
            case ScriptCodes.DEDUP_GO -> DedupAnswer.Go.INSTANCE;
            case ScriptCodes.DEDUP_DUPLICATE -> new DedupAnswer.Duplicate(detail);
            case ScriptCodes.DEDUP_DONE -> DedupAnswer.Done.INSTANCE;
            case ScriptCodes.DEDUP_NOTED -> detail.isEmpty() ? DedupAnswer.Noted.INSTANCE : new DedupAnswer.Noted(true);
            default -> throw new IllegalStateException("A script answered the unknown code " + code);
        };
    }
}
