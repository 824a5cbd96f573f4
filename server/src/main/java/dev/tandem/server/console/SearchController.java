package dev.tandem.server.console;

import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.ApiException;
import dev.tandem.server.api.ArchiveReader;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.KeyReader;
import dev.tandem.server.api.TaskReader;
import dev.tandem.server.api.TaskReader.Choice;
import dev.tandem.server.api.Views;
import dev.tandem.server.inspect.UnavailableException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Leads to the task or the blocked key with exactly this name, or lists them if there are several. */
@Controller
@Needs({})
final class SearchController {

    /** How many queues are looked at if none is chosen. */
    private static final int MAX_QUEUES = 20;

    private static final int LIMIT = 20;

    /**
     * The content of the page.
     *
     * @param queue the chosen one; null for all
     * @param queues those that may be chosen
     * @param notSearched how many queues were not looked at
     */
    record Content(@Nullable String queue, @Nullable String q, List<String> queues, List<Hit> hits, int notSearched) {}

    /** A task or a key that was found. @param task null for a key */
    record Hit(String queue, String name, Views.@Nullable Task task) {
        String path() {
            return task == null ? Links.key(queue, name) : Links.task(queue, task.ref());
        }
    }

    private final TandemSettings settings;
    private final TaskReader tasks;
    private final KeyReader keys;
    private final ArchiveReader archive;

    SearchController(TandemSettings settings, TaskReader tasks, KeyReader keys, ArchiveReader archive) {
        this.archive = archive;
        this.settings = settings;
        this.tasks = tasks;
        this.keys = keys;
    }

    @GetMapping("/search")
    Object search(
            @RequestParam(required = false) @Nullable String queue,
            @RequestParam(required = false) @Nullable String q,
            HttpServletRequest request) {
        Caller caller = Callers.of(request);
        QueuesOfCaller queues = QueuesOfCaller.of(settings, request, queue);
        List<String> mine = queues.all();
        String chosen = queues.chosen();
        String name = q == null ? "" : q.strip();
        List<String> looked = chosen == null ? mine.subList(0, Math.min(MAX_QUEUES, mine.size())) : List.of(chosen);
        List<Hit> hits = name.isEmpty() ? List.of() : hits(looked, name);
        if (hits.size() == 1) {
            return TaskController.to(hits.get(0).path());
        }
        if (hits.isEmpty() && !name.isEmpty() && isArchived(caller, looked, name)) {
            return TaskController.to(Links.archive(inArchive(chosen, name), null));
        }
        int notSearched = chosen == null ? mine.size() - looked.size() : 0;
        Content content = new Content(chosen, name.isEmpty() ? null : name, mine, hits, notSearched);
        return Page.still("search", "search.title", () -> content);
    }

    /** Whether the archive has a task with this id. While it cannot be asked, it has none. */
    private boolean isArchived(@Nullable Caller caller, List<String> looked, String name) {
        if (!archive.enabled() || caller == null || !caller.may(Permission.VIEW, null)) {
            return false;
        }
        try {
            return archive.has(name, looked);
        } catch (ApiException | UnavailableException e) {
            return false;
        }
    }

    private static ArchiveReader.Choice inArchive(@Nullable String queue, String name) {
        return new ArchiveReader.Choice(queue, name, null, null, null, "1970-01-01T00:00:00Z", null);
    }

    private List<Hit> hits(List<String> queues, String name) {
        List<Hit> hits = new ArrayList<>();
        for (String queue : queues) {
            if (name.startsWith("@")) {
                addByReference(queue, name, hits);
            } else {
                tasks.list(queue, new Choice(null, null, null, null, name, null, null), null, LIMIT).tasks().stream()
                        .limit(LIMIT)
                        .forEach(task -> hits.add(new Hit(queue, task.id(), task)));
            }
            if (keys.one(queue, name).blocked()) {
                hits.add(new Hit(queue, name, null));
            }
        }
        return hits;
    }

    private void addByReference(String queue, String name, List<Hit> hits) {
        try {
            Views.Task task = tasks.one(queue, name);
            hits.add(new Hit(queue, task.id(), task));
        } catch (ApiException e) {
            // The queue has no such task. Others may have.
        }
    }
}
