package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.why.Diagnoser;
import dev.tandem.server.why.Facts;
import dev.tandem.server.why.Finding;
import dev.tandem.server.why.Home;
import dev.tandem.server.why.TaskFacts;
import dev.tandem.server.why.Wording;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Says why a key or a task does not move. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/queues/{queue}")
final class WhyController {

    private final ConfiguredQueues queues;
    private final TaskLookup lookup;
    private final WhyFacts facts;

    WhyController(ConfiguredQueues queues, TaskLookup lookup, WhyFacts facts) {
        this.queues = queues;
        this.lookup = lookup;
        this.facts = facts;
    }

    /**
     * Why a key or a task does not move.
     *
     * @param key the key; absent if the task has none, or only its name is known
     * @param cause one word: the cause
     * @param text the cause, the prediction and the remedy, for people
     * @param remedy what to do, for people; absent if there is nothing
     * @param ref the task that all others wait for; absent if it is not known
     * @param id the id of that task
     * @param state the state of that task
     * @param at when that task is due, or when its run began
     * @param behind how many tasks wait behind that one, as far as is known
     * @param expected about when the last of them will have ended; absent if that cannot be told
     * @param partition where the key or the task belongs; absent if it is not known
     * @param owner who owns that partition; absent if nobody does
     * @param now when the answer was made
     */
    record View(
            String queue,
            @Nullable String key,
            String cause,
            String text,
            @Nullable String remedy,
            @Nullable String ref,
            @Nullable String id,
            @Nullable String state,
            @Nullable Instant at,
            long behind,
            @Nullable Instant expected,
            @Nullable String partition,
            @Nullable String owner,
            Instant now) {

        static View of(String queue, String name, Facts facts, ZoneId zone) {
            Finding finding = Diagnoser.diagnose(facts);
            String turn = facts.key() == null ? name : facts.key();
            Wording words = new Wording(queue, turn, facts.byTask(), name, zone, facts.now());
            String remedy = finding.cause().told(words).remedy();
            TaskFacts task = finding.task();
            Home home = facts.home();
            return new View(
                    queue,
                    facts.key(),
                    finding.cause().told(words).cause(),
                    finding.text(words),
                    remedy.isEmpty() ? null : remedy,
                    task == null ? null : task.ref().toString(),
                    task == null ? null : task.name(),
                    task == null ? null : Views.lower(task.state()),
                    task == null ? null : task.at(),
                    finding.behind(),
                    finding.expected(),
                    home == null ? null : home.partition(),
                    home == null ? null : home.owner(),
                    facts.now());
        }
    }

    @GetMapping("/keys/{key}/why")
    View key(
            @PathVariable String queue,
            @PathVariable String key,
            @RequestParam(required = false) @Nullable String zone) {
        QueueSettings settings = queues.get(queue);
        ZoneId shown = zone(zone);
        if (!settings.ordered()) {
            throw ApiException.badRequest(
                    "The queue '" + queue + "' keeps no order, so none of its keys waits",
                    "Ask about one of its tasks");
        }
        return View.of(queue, key, facts.ofKey(queue, settings, key), shown);
    }

    @GetMapping("/tasks/{id}/why")
    View task(
            @PathVariable String queue,
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String zone) {
        QueueSettings settings = queues.get(queue);
        ZoneId shown = zone(zone);
        TaskInfo task = lookup.maybe(queue, id).orElse(null);
        return View.of(queue, id, facts.ofTask(queue, settings, id, task), shown);
    }

    private static ZoneId zone(@Nullable String zone) {
        try {
            return zone == null ? ZoneOffset.UTC : ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw ApiException.badRequest(
                    "The parameter zone is '" + zone + "', which is no time zone", "Use a name such as Europe/Berlin");
        }
    }
}
