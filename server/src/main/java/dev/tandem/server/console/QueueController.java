package dev.tandem.server.console;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.HistoryRange;
import dev.tandem.server.api.LimitReader;
import dev.tandem.server.api.QueueReader;
import dev.tandem.server.api.Views;
import dev.tandem.server.inspect.StatisticsReader;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.RequestLanguage;
import dev.tandem.server.words.Texts;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows one queue with its partitions, and what became of its tasks lately. */
@Controller
@Needs(Permission.VIEW)
final class QueueController {

    /** The content of the page. @param charts null if Redis does not answer @param limits those of the queue; likewise */
    record Content(
            Views.Queue queue, HistoryRange range, @Nullable QueueCharts charts, LimitReader.@Nullable Limits limits) {

        boolean hasLimits() {
            return limits != null
                    && !(limits.limits().isEmpty() && limits.rateLimits().isEmpty());
        }
    }

    private final QueueReader queues;
    private final StatisticsReader statistics;
    private final LimitReader limits;

    QueueController(QueueReader queues, StatisticsReader statistics, LimitReader limits) {
        this.queues = queues;
        this.statistics = statistics;
        this.limits = limits;
    }

    @GetMapping("/queues/{queue}")
    Page queue(@PathVariable String queue, @RequestParam(defaultValue = "") String range, HttpServletRequest request) {
        HistoryRange chosen = HistoryRange.find(range).orElse(HistoryRange.HOUR);
        Texts texts = PageTexts.in(RequestLanguage.of(request));
        return Page.liveOf("queue", queue, () -> content(queues.whole(queue), chosen, texts))
                .withCharts();
    }

    private Content content(Views.Queue queue, HistoryRange range, Texts texts) {
        return new Content(queue, range, charts(queue.name(), range, texts), limits(queue.name()));
    }

    private @Nullable QueueCharts charts(String queue, HistoryRange range, Texts texts) {
        try {
            int minutes = range.kept().minutes();
            return QueueCharts.of(
                    range, statistics.read(queue, range.kept(), minutes, range.points(minutes)), texts::get);
        } catch (UnavailableException e) {
            return null;
        }
    }

    private LimitReader.@Nullable Limits limits(String queue) {
        try {
            return limits.ofQueue(queue);
        } catch (UnavailableException e) {
            return null;
        }
    }
}
