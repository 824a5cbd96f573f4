package dev.tandem.scheduler;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.store.DependencyAnswer;
import dev.tandem.task.store.DependencyRequest;
import java.util.ArrayList;
import java.util.List;

/** Turns requests about tasks that wait for others into arguments of a script, and the script's reply into answers. */
final class DependencyCodec {

    private static final int ITEMS_OF_ASK = 6;
    private static final int ITEMS = 5;

    private DependencyCodec() {}

    static byte[] encode(DependencyRequest request) {
        if (request instanceof DependencyRequest.Ask ask) {
            return begin(ITEMS_OF_ASK, ScriptCodes.DEPENDENCY_ASK, ask.task())
                    .number(ask.limitMillis())
                    .number(ask.waitedMillis())
                    .toByteArray();
        } else if (request instanceof DependencyRequest.Later later) {
            return begin(ITEMS, ScriptCodes.DEPENDENCY_LATER, later.task())
                    .number(later.delayMillis())
                    .toByteArray();
        }
        char what = request instanceof DependencyRequest.Released
                ? ScriptCodes.DEPENDENCY_RELEASED
                : ScriptCodes.DEPENDENCY_OVER;
        return begin(ITEMS, what, request.task()).number(0).toByteArray();
    }

    private static MessagePackWriter begin(int items, char what, TaskPlace task) {
        return new MessagePackWriter()
                .list(items)
                .letter(what)
                .text(task.partition().queue())
                .text(task.partition().name())
                .text(task.position().text());
    }

    /** Reads what is known of a task that another one may wait for. */
    static DependencyView view(BusinessId on, List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        String state = in.text();
        String place = in.text();
        int slash = place.indexOf('/');
        return new DependencyView(
                on,
                state.isEmpty() ? null : ScriptCodes.bearer(state.charAt(0)),
                slash < 0
                        ? null
                        : new TaskPlace(
                                new Partition(on.queue(), place.substring(0, slash)),
                                new Position(place.substring(slash + 1))),
                in.text(),
                in.number(),
                in.flag(),
                in.number());
    }

    static List<DependencyAnswer> decode(List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        // The code of the reply, and the time.
        in.number();
        in.number();
        List<DependencyAnswer> answers = new ArrayList<>();
        while (in.hasMore()) {
            answers.add(new DependencyAnswer(ScriptCodes.awaited(in.count()), in.text(), in.number()));
        }
        return answers;
    }
}
