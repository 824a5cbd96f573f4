package dev.tandem.server.console;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.PayloadEditor;
import dev.tandem.task.Utf8;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/** Shows a form for another payload of a task. Its button calls the route of the API that replaces it. */
@Controller
@Needs(Permission.EDIT)
final class EditController {

    /** The longest payload that the form takes, in characters. */
    private static final int MAX_TEXT = 262_144;

    /** The content of the page. @param text null if a form of a browser would not send it back as it is */
    record Content(
            String queue,
            String name,
            String ref,
            String etag,
            boolean json,
            @Nullable String text) {}

    private final PayloadEditor editor;

    EditController(PayloadEditor editor) {
        this.editor = editor;
    }

    @GetMapping("/queues/{queue}/tasks/{name}/edit")
    Page edit(@PathVariable String queue, @PathVariable String name) {
        PayloadEditor.Editable found = editor.read(queue, name);
        Content content =
                new Content(queue, found.name(), found.ref(), found.etag(), found.json(), text(found.payload()));
        return Page.stillOf("edit", found.name(), () -> content);
    }

    /** Browsers send other ends of lines than they got, and no zero characters. */
    static @Nullable String text(byte[] payload) {
        String text = Utf8.decode(payload);
        boolean stays = text != null && text.length() <= MAX_TEXT && text.indexOf('\r') < 0 && text.indexOf('\0') < 0;
        return stays ? text : null;
    }
}
