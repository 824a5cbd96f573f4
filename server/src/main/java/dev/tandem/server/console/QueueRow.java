package dev.tandem.server.console;

import dev.tandem.server.api.SharedDeadGroups.Halted;
import dev.tandem.server.api.Views;
import dev.tandem.server.console.RecentEnds.Ends;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.words.Sentence;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One queue in the overview. What nobody could tell is null.
 *
 * @param state see the API; its words are the same
 * @param lag how many tasks wait in the broker
 * @param oldestWaitMillis for how long the oldest task has waited that could start; 0 if none waits
 * @param running how many tasks run in all executors
 * @param mostRunning how many tasks may run; null if the queue has no such limit
 * @param halted how many keys wait for a decision, as far as the dead tasks were read that halt them
 * @param recent how many tasks ended lately
 */
record QueueRow(
        String name,
        String source,
        String state,
        List<Sentence> problems,
        boolean paused,
        @Nullable Long lag,
        @Nullable Long scheduled,
        @Nullable Long retry,
        @Nullable Long parked,
        @Nullable Long dead,
        @Nullable Long blockedKeys,
        @Nullable Long oldestWaitMillis,
        @Nullable Integer running,
        @Nullable Integer mostRunning,
        Halted halted,
        Ends recent) {

    private static final int WIDTH = 120;
    private static final int HEIGHT = 28;

    /** @param running the runs of executors. Those that wait for the limit of the queue are among them, so its own number counts */
    static QueueRow of(Views.Queue queue, @Nullable Integer running, Halted halted, Ends recent) {
        TaskCounts counts = queue.counts();
        Views.QueueLimit limit = queue.limit();
        List<Sentence> problems = queue.problems();
        return new QueueRow(
                queue.name(),
                queue.source(),
                queue.state(),
                problems == null ? List.of() : problems,
                Boolean.TRUE.equals(queue.paused()),
                queue.lag(),
                counts == null ? null : counts.scheduled(),
                counts == null ? null : counts.retry(),
                counts == null ? null : counts.parked(),
                counts == null ? null : counts.dead(),
                queue.blockedKeys(),
                queue.oldestWaitMillis(),
                limit == null ? running : Integer.valueOf(limit.running()),
                limit == null ? null : Integer.valueOf(limit.max()),
                halted,
                recent);
    }

    double perSecond() {
        return recent.perSecond();
    }

    /** Returns how many tasks wait in the broker and in Redis; null if one of them could not tell. */
    @Nullable
    Long waiting() {
        return lag == null || scheduled == null ? null : lag + scheduled + known(retry) + known(parked);
    }

    /** Whether nothing is wrong with the queue, and nobody has paused it. */
    boolean isWell() {
        return state.equals("running");
    }

    long known(@Nullable Number value) {
        return value == null ? 0 : value.longValue();
    }

    /** Returns the line of the small chart, for SVG. */
    String points() {
        List<Long> counts = recent.counts();
        long most = Math.max(1, Collections.max(counts));
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < counts.size(); i++) {
            double x = (double) i * WIDTH / (counts.size() - 1);
            double y = HEIGHT - 2 - (double) counts.get(i) * (HEIGHT - 4) / most;
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        }
        return points.toString().strip();
    }
}
