package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Server;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What was done to a process. */
final class ProcessHistory {

    /**
     * A time in which something was wrong.
     *
     * @param link null: it was frozen
     */
    record Trouble(long from, long to, @Nullable Server link) {}

    long death = HandlerRun.NEVER;
    boolean killed;
    /** It was asked to leave. */
    boolean leaving;

    final List<Trouble> troubles = new ArrayList<>();

    boolean frozenWithin(long from, long to) {
        return troubles.stream().anyMatch(each -> each.link() == null && each.from() <= to && each.to() >= from);
    }

    /** Its way to this was closed at some time within. */
    boolean cutWithin(Server link, long from, long to) {
        return troubles.stream().anyMatch(each -> each.link() == link && each.from() <= to && each.to() >= from);
    }

    boolean killedWithin(long from, long to) {
        return killed && death >= from && death <= to;
    }
}
