package dev.tandem.server.console;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.ScheduleViews;
import dev.tandem.server.inspect.ScheduleAdministration;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import java.util.Comparator;
import java.util.List;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows the schedules of all programs, with their next firings. */
@Controller
@Needs(Permission.VIEW)
final class SchedulesPageController {

    /** The most schedules of a page. They are shown by their ids. */
    static final int MAX_SHOWN = 200;

    private static final int NEXT = 5;

    /**
     * The content of the page.
     *
     * @param all how many schedules there are
     * @param after the id behind which it begins; empty on the first page
     * @param more how many further ones there are behind these
     */
    record Content(List<ScheduleViews.View> schedules, int all, String after, int more) {

        String next() {
            return "/schedules?after="
                    + Links.part(schedules.get(schedules.size() - 1).id());
        }

        /** Returns the class of the style that goes with the state of a schedule. */
        String mood(ScheduleViews.View schedule) {
            return switch (schedule.state()) {
                case "active" -> "good";
                case "paused" -> "held";
                default -> "bad";
            };
        }

        /** Whether a schedule can be deleted: no running program would announce it again. */
        boolean isDeletable(ScheduleViews.View schedule) {
            return schedule.created() != null || schedule.state().equals("gone");
        }
    }

    private final ScheduleAdministration schedules;

    SchedulesPageController(ScheduleAdministration schedules) {
        this.schedules = schedules;
    }

    @GetMapping("/schedules")
    Page schedules(@RequestParam(defaultValue = "") String after) {
        return Page.live("schedules", "nav.schedules", () -> content(after));
    }

    private Content content(String after) {
        long now = schedules.now();
        List<Entry> all = schedules.all();
        List<Entry> behind = all.stream()
                .filter(each -> each.id().compareTo(after) > 0)
                .sorted(Comparator.comparing(Entry::id))
                .toList();
        return new Content(
                behind.stream()
                        .limit(MAX_SHOWN)
                        .map(each -> ScheduleViews.view(each, now, NEXT, false))
                        .toList(),
                all.size(),
                after,
                Math.max(0, behind.size() - MAX_SHOWN));
    }
}
