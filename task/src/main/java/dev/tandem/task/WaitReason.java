package dev.tandem.task;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a task waits for before its handler begins, other than its time. That of a task that was put back travels with it as a
 * header that no publisher can set and no handler sees, so envelopes keep their form.
 */
public sealed interface WaitReason {

    /** The header that carries the words. */
    String HEADER = "tandem-waits-for";

    /** The longest text that is kept, in characters: more than the longest business id of a task has. */
    int MAX = 1_400;

    /** Returns it in words for people, such as {@code the task parcels/pack-7}. They are stored and sent, so they stay as they are. */
    String text();

    /** A permit of each of these limits. */
    record Permits(List<String> limits) implements WaitReason {

        private static final String BEGIN = "a permit of ";
        private static final String AND = " and ";

        @Override
        public String text() {
            return BEGIN + String.join(AND, limits);
        }
    }

    /** A token of a rate limit. */
    record Token(String limit) implements WaitReason {

        private static final String BEGIN = "a token of ";

        @Override
        public String text() {
            return BEGIN + limit;
        }
    }

    /** The success of another task. @param task its business id */
    record OtherTask(String task) implements WaitReason {

        private static final String BEGIN = "the task ";

        @Override
        public String text() {
            return BEGIN + task;
        }
    }

    /** Tasks of its key in the partition where the key was before the topic got more of them. */
    record FormerPartition() implements WaitReason {

        private static final String TEXT = "earlier tasks of its key, in another partition";

        @Override
        public String text() {
            return TEXT;
        }
    }

    /** Nothing but its turn in memory. @param ofKey whether tasks of its key may come first */
    record Turn(boolean ofKey) implements WaitReason {

        private static final String SLOT = "a free slot";
        private static final String OF_KEY = "earlier tasks of its key, or " + SLOT;

        @Override
        public String text() {
            return ofKey ? OF_KEY : SLOT;
        }
    }

    /** Something else. */
    record Other(String text) implements WaitReason {}

    /** Reads what {@link #text()} has returned, here or in another version. */
    static WaitReason parse(String text) {
        if (text.startsWith(Permits.BEGIN)) {
            return new Permits(List.of(text.substring(Permits.BEGIN.length()).split(Permits.AND)));
        }
        if (text.startsWith(Token.BEGIN)) {
            return new Token(text.substring(Token.BEGIN.length()));
        }
        if (text.startsWith(OtherTask.BEGIN)) {
            return new OtherTask(text.substring(OtherTask.BEGIN.length()));
        }
        return switch (text) {
            case FormerPartition.TEXT -> new FormerPartition();
            case Turn.SLOT -> new Turn(false);
            case Turn.OF_KEY -> new Turn(true);
            default -> new Other(text);
        };
    }

    /** Returns what a task was put back for; null if for nothing, or for its time only. */
    static @Nullable WaitReason of(Task task) {
        String text = task.headers().get(HEADER);
        return text == null ? null : parse(text);
    }

    /** Returns the task with this reason, in place of an earlier one. @param reason null for none */
    static Task with(Task task, @Nullable WaitReason reason) {
        if (reason == null && !task.headers().containsKey(HEADER)) {
            return task;
        }
        Map<String, String> headers = new LinkedHashMap<>(task.headers());
        if (reason == null) {
            headers.remove(HEADER);
        } else {
            headers.put(HEADER, LogText.oneLine(reason.text(), MAX));
        }
        return task.withHeaders(headers);
    }

    /** Returns the task without a reason: it was tried again. */
    static Task without(Task task) {
        return with(task, null);
    }
}
