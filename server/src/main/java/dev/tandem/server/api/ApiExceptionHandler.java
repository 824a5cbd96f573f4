package dev.tandem.server.api;

import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.LogText;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.MissingServletRequestParameterException;
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
        ProblemDetail problem =
                ProblemDetails.of(refused.type(), String.valueOf(refused.getMessage()), refused.remedy());
        if (refused.place() != null) {
            problem.setProperty("errors", List.of(refused.place()));
        }
        return answer(problem);
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> forbidden(ForbiddenException forbidden) {
        return answer(ProblemDetails.of(
                ProblemType.NOT_PERMITTED, String.valueOf(forbidden.getMessage()), forbidden.remedy()));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> unavailable(UnavailableException unavailable, HttpServletRequest request) {
        return answer(ProblemDetails.of(
                ProblemType.UNAVAILABLE,
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
                ProblemType.INVALID_PARAMETER,
                "The parameters cannot be read: " + LogText.oneLine(String.valueOf(invalid.getMessage()), MAX_SHOWN),
                "Percent-encode them as UTF-8"));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> failed(Exception failure) {
        log.error("A request to the API failed", failure);
        return answer(ProblemDetails.of(
                ProblemType.INTERNAL_ERROR,
                "The server failed to process this request ("
                        + failure.getClass().getSimpleName() + ")",
                "See the server's log"));
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleTypeMismatch(
            TypeMismatchException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return named(super.handleTypeMismatch(ex, headers, status, request), ex.getPropertyName());
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleMissingServletRequestParameter(
            MissingServletRequestParameterException ex,
            HttpHeaders headers,
            HttpStatusCode status,
            WebRequest request) {
        return named(super.handleMissingServletRequestParameter(ex, headers, status, request), ex.getParameterName());
    }

    /** Says in the problem which parameter is wrong. */
    private static @Nullable ResponseEntity<Object> named(
            @Nullable ResponseEntity<Object> answer, @Nullable String parameter) {
        if (answer != null && answer.getBody() instanceof ProblemDetail problem) {
            problem.setType(ProblemType.INVALID_PARAMETER.uri());
            if (parameter != null) {
                problem.setProperty(
                        "errors",
                        List.of(Map.of("detail", String.valueOf(problem.getDetail()), "parameter", parameter)));
            }
        }
        return answer;
    }

    /** Adds a type and a remedy to Spring's own errors, which have their details already. */
    @Override
    protected ResponseEntity<Object> createResponseEntity(
            @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        if (body instanceof ProblemDetail problem) {
            ProblemType type = ProblemType.of(status.value());
            problem.setType(type.uri());
            if (type == ProblemType.NOT_FOUND) {
                problem.setProperty("remedy", "The paths of the API are described in docs/protocol.md");
            }
        }
        return super.createResponseEntity(body, headers, status, request);
    }

    private static ResponseEntity<ProblemDetail> answer(ProblemDetail problem) {
        return ResponseEntity.status(problem.getStatus()).body(problem);
    }
}
