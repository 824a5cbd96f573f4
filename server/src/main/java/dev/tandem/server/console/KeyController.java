package dev.tandem.server.console;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.KeyReader;
import dev.tandem.server.api.KeyTimeline;
import dev.tandem.server.api.TimelineReader;
import dev.tandem.server.api.Views;
import dev.tandem.server.api.WhyReader;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.words.Sentence;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows the blocked keys of a queue, and what each of them waits for. */
@Controller
@Needs(Permission.VIEW)
final class KeyController {

    private static final int LIMIT = 50;

    /** The content of the list. @param cursor null on the first page */
    record KeyList(String queue, @Nullable String cursor, Views.Keys page) {}

    /**
     * The content of the page of a key.
     *
     * @param why null if the queue keeps no order, so that no key waits
     * @param paused whether an operator has paused the key
     */
    record Content(String queue, Views.Key key, @Nullable Sentence why, boolean paused) {

        /** Returns the key in each partition where it is blocked; none if it is open. */
        List<Views.Key> places() {
            List<Views.Key> all = new ArrayList<>();
            if (key.blocked()) {
                all.add(key);
            }
            if (key.more() != null) {
                all.addAll(key.more());
            }
            return all;
        }

        /** Returns how many tasks are parked behind its heads. */
        long parked() {
            return places().stream()
                    .mapToLong(each -> each.parked() == null ? 0 : each.parked())
                    .sum();
        }

        /** Returns the route of a change, which is for the head that the page shows. */
        String change(String action, boolean force) {
            String head = key.more() == null ? key.head() : null;
            String query = (head == null ? "" : "&head=" + Links.value(head)) + (force ? "&force=true" : "");
            return Links.apiKey(queue, key.key()) + "/" + action + (query.isEmpty() ? "" : "?" + query.substring(1));
        }

        /** Whether the key waits for somebody, since all its heads are dead. */
        boolean isHalted() {
            return places().stream().allMatch(each -> "halted".equals(each.why()));
        }

        /** Whether Redis has a head, so that it can run now. */
        boolean mayRetry() {
            return places().stream().anyMatch(each -> each.headTask() != null);
        }
    }

    /** The content of the timeline. @param before null for the latest part */
    record TimelineContent(Content key, @Nullable Long before, KeyTimeline timeline) {

        /** Returns the page of the earlier part. */
        String earlier() {
            KeyTimeline.Log log = timeline.log();
            return Links.timeline(timeline.queue(), timeline.key())
                    + "?before=" + timeline.next()
                    + (log == null ? "" : "&partition=" + Links.value(log.partition()));
        }
    }

    private final KeyReader keys;
    private final WhyReader why;
    private final TimelineReader timelines;
    private final Inspection inspection;

    KeyController(KeyReader keys, WhyReader why, TimelineReader timelines, Inspection inspection) {
        this.keys = keys;
        this.why = why;
        this.timelines = timelines;
        this.inspection = inspection;
    }

    @GetMapping("/queues/{queue}/keys")
    Page keys(@PathVariable String queue, @RequestParam(required = false) @Nullable String cursor) {
        String from = cursor == null || cursor.isEmpty() ? null : cursor;
        return Page.live("keys", "keys.title", () -> new KeyList(queue, from, keys.list(queue, from, LIMIT)));
    }

    @GetMapping("/queues/{queue}/keys/{key}")
    Page key(@PathVariable String queue, @PathVariable String key) {
        return Page.liveOf("key", key, () -> content(queue, key));
    }

    /** Shows what became of the tasks of a key. It reads the log, so it stays as it is until it is loaded again. */
    @GetMapping("/queues/{queue}/keys/{key}/timeline")
    Page timeline(
            @PathVariable String queue,
            @PathVariable String key,
            @RequestParam(required = false) @Nullable String partition,
            @RequestParam(required = false) @Nullable Long before) {
        return Page.stillOf(
                "timeline",
                key,
                () -> new TimelineContent(content(queue, key), before, timelines.read(queue, key, partition, before)));
    }

    private Content content(String queue, String key) {
        Sentence sentence =
                why.isOrdered(queue) ? why.key(queue, key, ZoneOffset.UTC).text() : null;
        boolean paused = inspection.pausedTasks(queue).keys().contains(key);
        return new Content(queue, keys.one(queue, key), sentence, paused);
    }
}
