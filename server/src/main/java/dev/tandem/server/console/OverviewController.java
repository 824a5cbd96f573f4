package dev.tandem.server.console;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.SharedDeadGroups;
import dev.tandem.server.api.SharedDeadGroups.Halted;
import dev.tandem.server.api.Views;
import dev.tandem.server.console.QueueSnapshots.Snapshot;
import dev.tandem.server.console.RecentEnds.Ends;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.UnavailableException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows all queues that the caller may see. */
@Controller
@Needs({})
final class OverviewController {

    private static final Halted NONE_HALTED = new Halted(0, false);

    /**
     * The content of the page.
     *
     * @param queues those that are shown
     * @param filter of which total they have a share; null if all queues are shown
     * @param hidden how many queues of this server the caller may not see
     * @param executors how many executors are alive; null if Redis does not answer
     * @param totals the sums of all queues that the caller may see
     */
    record Content(
            List<QueueRow> queues,
            @Nullable Total filter,
            int hidden,
            @Nullable Integer executors,
            List<Sum> totals,
            double perSecond) {}

    /** A sum over queues that leads to the lists of what it counts. */
    enum Total {
        WAITING("overview.waiting", QueueRow::waiting, Links::queue),
        RUNNING("overview.running", QueueRow::running, queue -> Links.tasks(queue, "active")),
        BLOCKED("overview.blocked", QueueRow::blockedKeys, queue -> Links.keys(queue, null)),
        DEAD("overview.dead", QueueRow::dead, Links::dead);

        private final String text;
        private final Function<QueueRow, @Nullable Number> share;
        private final Function<String, String> list;

        Total(String text, Function<QueueRow, @Nullable Number> share, Function<String, String> list) {
            this.text = text;
            this.share = share;
            this.list = list;
        }

        /** Returns its name in the address of the page. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the key of its name for people. */
        String text() {
            return text;
        }

        boolean counts(QueueRow row) {
            return row.known(share.apply(row)) > 0;
        }

        /**
         * Returns the sum. It leads to the list of the only queue that has a share, or to the queues that have one; that of dead tasks
         * to the page that has those of all queues.
         */
        private Sum of(List<QueueRow> rows) {
            List<QueueRow> its = rows.stream().filter(this::counts).toList();
            String path = this == DEAD
                    ? "/dead"
                    : its.size() == 1 ? list.apply(its.get(0).name()) : "/?with=" + word();
            boolean unknown = rows.stream().anyMatch(row -> share.apply(row) == null);
            return new Sum(
                    this,
                    unknown
                            ? null
                            : Long.valueOf(its.stream()
                                    .mapToLong(row -> row.known(share.apply(row)))
                                    .sum()),
                    this == BLOCKED ? halted(rows) : NONE_HALTED,
                    path);
        }

        private static Halted halted(List<QueueRow> rows) {
            return new Halted(
                    rows.stream().mapToLong(row -> row.halted().keys()).sum(),
                    rows.stream().anyMatch(row -> row.halted().partial()));
        }
    }

    /**
     * @param sum null if a queue's share is unknown
     * @param halted how many of these keys are halted
     * @param path the page that has what is counted
     */
    record Sum(Total what, @Nullable Long sum, Halted halted, String path) {

        boolean isBad() {
            return what == Total.DEAD && sum != null && sum > 0;
        }
    }

    private final QueueSnapshots snapshots;
    private final RecentEnds recent;
    private final SharedDeadGroups dead;

    OverviewController(QueueSnapshots snapshots, RecentEnds recent, SharedDeadGroups dead) {
        this.snapshots = snapshots;
        this.recent = recent;
        this.dead = dead;
    }

    @GetMapping("/")
    Page overview(@RequestParam(defaultValue = "") String with, HttpServletRequest request) {
        Caller caller = Callers.of(request);
        Supplier<Snapshot> snapshots = this.snapshots.following();
        Total only = Arrays.stream(Total.values())
                .filter(each -> each.word().equals(with))
                .findFirst()
                .orElse(null);
        return Page.live("overview", "nav.overview", () -> content(snapshots.get(), caller, only));
    }

    private Content content(Snapshot snapshot, @Nullable Caller caller, @Nullable Total only) {
        List<Views.Queue> all = snapshot.queues();
        List<Views.Queue> mine = snapshot.queuesOf(caller);
        Map<String, Halted> halting = halting(mine);
        List<ExecutorInfo> executors = snapshot.executors();
        Map<String, Integer> running = running(executors);
        Map<String, Ends> ends = recent.of(all.stream().map(Views.Queue::name).toList());
        List<QueueRow> rows = new ArrayList<>();
        for (Views.Queue queue : mine) {
            rows.add(QueueRow.of(
                    queue,
                    executors == null ? null : running.getOrDefault(queue.name(), 0),
                    halting.getOrDefault(queue.name(), NONE_HALTED),
                    ends.getOrDefault(queue.name(), Ends.NONE)));
        }
        return new Content(
                rows.stream().filter(row -> only == null || only.counts(row)).toList(),
                only,
                all.size() - rows.size(),
                executors == null ? null : executors.size(),
                Arrays.stream(Total.values()).map(total -> total.of(rows)).toList(),
                rows.stream().mapToDouble(QueueRow::perSecond).sum());
    }

    /** Reads how many keys dead tasks halt. @param mine only the queues of the caller: of too many, some are not read */
    private Map<String, Halted> halting(List<Views.Queue> mine) {
        try {
            return dead.halting(mine);
        } catch (UnavailableException e) {
            return Map.of(); // The rows say so.
        }
    }

    private static Map<String, Integer> running(@Nullable List<ExecutorInfo> executors) {
        return executors == null
                ? Map.of()
                : executors.stream()
                        .flatMap(executor -> executor.queues().stream())
                        .filter(share -> share.running() != null)
                        .collect(Collectors.toMap(ExecutorInfo.Share::queue, share -> running(share), Integer::sum));
    }

    private static int running(ExecutorInfo.Share share) {
        Integer running = share.running();
        return running == null ? 0 : running;
    }
}
