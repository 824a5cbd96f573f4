package dev.tandem.server.api;

import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.LogText;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Answers every error of a controller as {@code application/problem+json}. */
@RestControllerAdvice
final class ApiExceptionHandler extends ResponseEntityExceptionHandler {

    private static final int MAX_SHOWN = 200;

    private static final Logger log = LoggerFactory.getLogger(ApiExceptionHandler.class);

    @ExceptionHandler
    ResponseEntity<ProblemDetail> refused(ApiException refused) {
        return answer(ProblemDetails.of(refused.status(), String.valueOf(refused.getMessage()), refused.remedy()));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> forbidden(ForbiddenException forbidden) {
        return answer(
                ProblemDetails.of(HttpStatus.FORBIDDEN, String.valueOf(forbidden.getMessage()), forbidden.remedy()));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> unavailable(UnavailableException unavailable, HttpServletRequest request) {
        return answer(ProblemDetails.of(
                HttpStatus.SERVICE_UNAVAILABLE,
                String.valueOf(unavailable.getMessage()),
                reads(request) ? "Try again; GET /actuator/health shows which part is down" : mayTakeEffect(request)));
    }

    private static boolean reads(HttpServletRequest request) {
        return request.getMethod().equals(HttpMethod.GET.name())
                || request.getMethod().equals(HttpMethod.HEAD.name());
    }

    /** Says how to find out what became of a change. Redis may have it, and carry it out later. */
    private static String mayTakeEffect(HttpServletRequest request) {
        String route = String.valueOf(request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE));
        String command = route.contains("/keys/")
                ? "./tandem keys show"
                : route.contains("/tasks/")
                        ? "./tandem tasks"
                        : route.contains("/operations") ? "./tandem operations" : "./tandem queues";
        return "It may still take effect; check with " + command + " before you repeat it";
    }

    /** Tomcat throws this for parameters that it cannot decode, instead of leaving them out. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> undecodable(InvalidParameterException invalid) {
        return answer(ProblemDetails.of(
                HttpStatus.BAD_REQUEST,
                "The parameters cannot be read: " + LogText.oneLine(String.valueOf(invalid.getMessage()), MAX_SHOWN),
                "Percent-encode them as UTF-8"));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> failed(Exception failure) {
        log.error("A request to the API failed", failure);
        return answer(ProblemDetails.of(
                HttpStatus.INTERNAL_SERVER_ERROR,
                "The server failed to process this request ("
                        + failure.getClass().getSimpleName() + ")",
                "See the server's log"));
    }

    /** Adds a remedy to Spring's own errors, which have their details already. */
    @Override
    protected ResponseEntity<Object> createResponseEntity(
            @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        if (body instanceof ProblemDetail problem && status.value() == HttpStatus.NOT_FOUND.value()) {
            problem.setProperty("remedy", "The paths of the API are described in docs/protocol.md");
        }
        return super.createResponseEntity(body, headers, status, request);
    }

    private static ResponseEntity<ProblemDetail> answer(ProblemDetail problem) {
        return ResponseEntity.status(problem.getStatus()).body(problem);
    }
}
