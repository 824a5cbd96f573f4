package dev.tandem.server.console;

import static dev.tandem.server.console.Parameters.given;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.ArchiveReader;
import dev.tandem.server.api.ArchiveReader.ArchivedTask;
import dev.tandem.server.api.ArchiveReader.Choice;
import dev.tandem.server.inspect.UnavailableException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows how tasks ended, from the archive: a list, and one task with its attempts. */
@Controller
@Needs(Permission.VIEW)
final class ArchivePageController {

    private static final int PAGE = 50;

    /**
     * The content of the list.
     *
     * @param enabled whether there is an archive
     * @param problem why it stores or shows nothing; null if it does
     * @param page null if there is none
     */
    record Content(
            boolean enabled,
            Choice choice,
            @Nullable String cursor,
            List<String> queues,
            @Nullable String problem,
            ArchiveReader.@Nullable Page page) {

        /** The ways in which tasks end, and their attempts. */
        List<String> states() {
            return List.of("succeeded", "dead", "expired", "cancelled", "failed", "snoozed");
        }

        String first() {
            return Links.archive(choice, null);
        }

        String older() {
            return Links.archive(choice, page == null ? null : page.next());
        }
    }

    private final ArchiveReader archive;

    ArchivePageController(ArchiveReader archive) {
        this.archive = archive;
    }

    @GetMapping("/archive")
    Page list(
            @RequestParam(required = false) @Nullable String queue,
            @RequestParam(required = false) @Nullable String id,
            @RequestParam(required = false) @Nullable String key,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(required = false) @Nullable String state,
            @RequestParam(required = false) @Nullable String from,
            @RequestParam(required = false) @Nullable String until,
            @RequestParam(required = false) @Nullable String cursor) {
        Choice choice =
                new Choice(given(queue), given(id), given(key), given(type), given(state), given(from), given(until));
        return Page.still("archive", "nav.archive", () -> content(choice, given(cursor)));
    }

    @GetMapping("/archive/{queue}/{id}")
    Page task(@PathVariable String queue, @PathVariable String id) {
        ArchivedTask task = archive.one(queue, id);
        return Page.stillOf("archivedtask", task.id(), () -> task);
    }

    private Content content(Choice choice, @Nullable String cursor) {
        List<String> queues = archive.queues();
        if (!archive.enabled()) {
            return new Content(false, choice, cursor, queues, null, null);
        }
        try {
            ArchiveReader.Page page = archive.page(choice, cursor, PAGE);
            return new Content(true, choice, cursor, queues, archive.status().problem(), page);
        } catch (UnavailableException e) {
            return new Content(true, choice, cursor, queues, e.getMessage(), null);
        }
    }
}
