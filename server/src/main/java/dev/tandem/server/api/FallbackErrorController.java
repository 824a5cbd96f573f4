package dev.tandem.server.api;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;

/** Answers the errors that no controller handled, in the same form and without internal details. */
@Controller
final class FallbackErrorController implements ErrorController {

    @RequestMapping("${server.error.path:${error.path:/error}}")
    ResponseEntity<ProblemDetail> error(HttpServletRequest request) {
        Object code = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        int status = code instanceof Integer number ? number : HttpStatus.NOT_FOUND.value();
        ProblemType type = ProblemType.of(status);
        HttpStatus shown = type.status();
        return ResponseEntity.status(shown)
                .body(ProblemDetails.of(
                        type,
                        shown.is5xxServerError()
                                ? "The server failed to process this request"
                                : shown.getReasonPhrase(),
                        shown.is5xxServerError() ? "See the server's log" : null));
    }
}
