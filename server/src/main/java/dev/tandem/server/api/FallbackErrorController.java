package dev.tandem.server.api;

import dev.tandem.server.words.Language;
import dev.tandem.server.words.RequestLanguage;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpHeaders;
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
        Object path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
        FrameworkErrors.Refusal refusal =
                FrameworkErrors.of(status, path instanceof String text ? text : request.getRequestURI());
        Language language = RequestLanguage.asked(request);
        return ResponseEntity.status(refusal.type().status())
                .header(HttpHeaders.CONTENT_LANGUAGE, language.code())
                .body(ProblemDetails.of(language, refusal.type(), refusal.detail(), refusal.remedy()));
    }
}
