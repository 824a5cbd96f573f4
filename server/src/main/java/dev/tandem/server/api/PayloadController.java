package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.words.Sentence;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Shows whole payloads to those who may edit them, and replaces them. */
@RestController
@RequestMapping("/api/v1/queues/{queue}/tasks/{id}/payload")
final class PayloadController {

    private static final Pattern ETAG = Pattern.compile("\"[0-9a-f]{32}\"");

    private final PayloadEditor editor;

    PayloadController(PayloadEditor editor) {
        this.editor = editor;
    }

    @Needs(Permission.EDIT)
    @GetMapping
    ResponseEntity<byte[]> read(@PathVariable String queue, @PathVariable String id) {
        PayloadEditor.Editable found = editor.read(queue, id);
        return ResponseEntity.ok()
                .contentType(MediaType.APPLICATION_OCTET_STREAM)
                .eTag(found.etag())
                .header(HttpHeaders.CONTENT_DISPOSITION, "attachment")
                .body(found.payload());
    }

    @Needs(Permission.EDIT)
    @PutMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Edited edit(@PathVariable String queue, @PathVariable String id, HttpServletRequest request) {
        AuditInterceptor.reads(request);
        editor.require(queue);
        String etag = etag(request);
        byte[] payload = RequestLimitFilter.takeBody(request);
        String done = editor.edit(queue, id, etag, payload, begun -> AuditInterceptor.record(request, false, begun));
        AuditInterceptor.record(request, true, done);
        return new Views.Edited(1, payload.length, PayloadEditor.hash(payload));
    }

    private static String etag(HttpServletRequest request) {
        List<String> values = Collections.list(request.getHeaders(HttpHeaders.IF_MATCH));
        if (values.size() == 1 && ETAG.matcher(values.get(0).strip()).matches()) {
            return values.get(0).strip();
        }
        throw ApiException.header(
                values.isEmpty() ? ProblemType.ETAG_REQUIRED : ProblemType.INVALID_REQUEST,
                HttpHeaders.IF_MATCH,
                values.isEmpty() ? Sentence.of("problem.no-etag") : Sentence.of("problem.etag"),
                Sentence.of("remedy.etag"));
    }
}
