package dev.tandem.server.inspect;

import dev.tandem.server.words.Sentence;
import dev.tandem.task.WaitReason;

/** Names what a task waits for. In English these are the words that are stored and sent: {@link WaitReason#text()}. */
public final class WaitSentences {

    private WaitSentences() {}

    public static Sentence of(WaitReason reason) {
        if (reason instanceof WaitReason.Permits permits) {
            return Sentence.of("waiting.permits", Sentence.and(permits.limits()));
        } else if (reason instanceof WaitReason.Token token) {
            return Sentence.of("waiting.token", token.limit());
        } else if (reason instanceof WaitReason.OtherTask other) {
            return Sentence.of("waiting.task", other.task());
        } else if (reason instanceof WaitReason.FormerPartition) {
            return Sentence.of("waiting.former-partition");
        } else if (reason instanceof WaitReason.Turn turn) {
            return Sentence.of(turn.ofKey() ? "waiting.turn-of-key" : "waiting.turn");
        }
        return Sentence.quote(reason.text());
    }
}
