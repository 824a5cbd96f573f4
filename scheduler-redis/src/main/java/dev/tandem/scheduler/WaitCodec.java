package dev.tandem.scheduler;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.WaitAnswer;
import dev.tandem.task.store.WaitRequest;
import dev.tandem.task.store.WaitRequest.Waiter;
import java.util.ArrayList;
import java.util.List;

/** Turns requests about tasks that wait for others into arguments of a script, and the script's reply into answers. */
final class WaitCodec {

    private static final int ITEMS_OF_ASK = 6;
    private static final int ITEMS = 5;

    private WaitCodec() {}

    static byte[] encode(WaitRequest request) {
        if (request instanceof WaitRequest.Ask ask) {
            return begin(ITEMS_OF_ASK, ScriptCodes.WAIT_ASK, ask.task())
                    .number(ask.limitMillis())
                    .number(ask.waitedMillis())
                    .toByteArray();
        } else if (request instanceof WaitRequest.Later later) {
            return begin(ITEMS, ScriptCodes.WAIT_LATER, later.task())
                    .number(later.delayMillis())
                    .toByteArray();
        }
        char what = request instanceof WaitRequest.Released ? ScriptCodes.WAIT_RELEASED : ScriptCodes.WAIT_OVER;
        return begin(ITEMS, what, request.task()).number(0).toByteArray();
    }

    private static MessagePackWriter begin(int items, char what, Waiter task) {
        return new MessagePackWriter()
                .list(items)
                .letter(what)
                .text(task.partition().queue())
                .text(task.partition().name())
                .text(task.position().text());
    }

    /** Reads what is known of a task that another one may wait for. */
    static AwaitedView view(BusinessId on, List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        String state = in.text();
        String place = in.text();
        int slash = place.indexOf('/');
        return new AwaitedView(
                on,
                state.isEmpty() ? null : ScriptCodes.bearer(state.charAt(0)),
                slash < 0 ? null : new Partition(on.queue(), place.substring(0, slash)),
                slash < 0 ? null : new Position(place.substring(slash + 1)),
                in.text(),
                in.number(),
                in.flag(),
                in.number());
    }

    static List<WaitAnswer> decode(List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        // The code of the reply, and the time.
        in.number();
        in.number();
        List<WaitAnswer> answers = new ArrayList<>();
        while (in.hasMore()) {
            answers.add(new WaitAnswer(ScriptCodes.awaited(in.count()), in.text(), in.number()));
        }
        return answers;
    }
}
