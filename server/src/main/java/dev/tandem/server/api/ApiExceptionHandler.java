package dev.tandem.server.api;

import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.Language;
import dev.tandem.server.words.RequestLanguage;
import dev.tandem.server.words.Sentence;
import dev.tandem.server.words.Wordbook;
import dev.tandem.task.LogText;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Answers every error of a controller as {@code application/problem+json}. */
@RestControllerAdvice
final class ApiExceptionHandler extends ResponseEntityExceptionHandler {

    private static final int MAX_SHOWN = 200;

    private static final Logger log = LoggerFactory.getLogger(ApiExceptionHandler.class);

    @ExceptionHandler
    ResponseEntity<ProblemDetail> refused(ApiException refused, HttpServletRequest request) {
        Map<String, String> place = refused.place(RequestLanguage.asked(request));
        return answer(
                request,
                refused.type(),
                refused.detail(),
                refused.remedy(),
                place == null ? Map.of() : Map.of("errors", List.of(place)));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> forbidden(ForbiddenException forbidden, HttpServletRequest request) {
        return answer(request, ProblemType.NOT_PERMITTED, forbidden.detail(), forbidden.remedy());
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> unavailable(UnavailableException unavailable, HttpServletRequest request) {
        return answer(
                request,
                ProblemType.UNAVAILABLE,
                Sentence.problem(String.valueOf(unavailable.getMessage())),
                reads(request) || AuditInterceptor.isUntouched(request)
                        ? Sentence.of("remedy.health")
                        : mayTakeEffect(request));
    }

    private static boolean reads(HttpServletRequest request) {
        return request.getMethod().equals(HttpMethod.GET.name())
                || request.getMethod().equals(HttpMethod.HEAD.name());
    }

    /** Says how to find out what became of a change. Redis may have it, and carry it out later. */
    private static Sentence mayTakeEffect(HttpServletRequest request) {
        String route = String.valueOf(request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE));
        String command = route.contains("/keys/")
                ? "./tandem keys show"
                : route.contains("/tasks/")
                        ? "./tandem tasks"
                        : route.contains("/operations")
                                ? "./tandem operations"
                                : route.contains("/limits/") ? "./tandem limits" : "./tandem queues";
        return Sentence.of("remedy.may-take-effect", command);
    }

    /** Tomcat throws this for parameters that it cannot decode, instead of leaving them out. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> undecodable(InvalidParameterException invalid, HttpServletRequest request) {
        return answer(
                request,
                ProblemType.INVALID_PARAMETER,
                Sentence.of(
                        "problem.parameters-unreadable",
                        LogText.oneLine(String.valueOf(invalid.getMessage()), MAX_SHOWN)),
                Sentence.of("remedy.percent-encode"));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> failed(Exception failure, HttpServletRequest request) {
        log.error("A request to the API failed", failure);
        return answer(
                request,
                ProblemType.INTERNAL_ERROR,
                Sentence.of("problem.failed-as", failure.getClass().getSimpleName()),
                Sentence.of("remedy.server-log"));
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
        if (answer != null && answer.getBody() instanceof ProblemDetail problem && parameter != null) {
            problem.setProperty(
                    "errors", List.of(Map.of("detail", String.valueOf(problem.getDetail()), "parameter", parameter)));
        }
        return answer;
    }

    /** Puts Spring's own errors into sentences, in the language that the request asks for. */
    @Override
    protected @Nullable ResponseEntity<Object> handleExceptionInternal(
            Exception ex, @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        ResponseEntity<Object> answer = super.handleExceptionInternal(ex, body, headers, status, request);
        HttpServletRequest asked = ((ServletWebRequest) request).getRequest();
        Optional<FrameworkErrors.Refusal> refusal = FrameworkErrors.of(ex, asked);
        if (answer == null || refusal.isEmpty()) {
            return answer;
        }
        FrameworkErrors.Refusal known = refusal.get();
        Language language = RequestLanguage.asked(asked);
        return ResponseEntity.status(answer.getStatusCode())
                .headers(answer.getHeaders())
                .header(HttpHeaders.CONTENT_LANGUAGE, language.code())
                .body(ProblemDetails.of(language, known.type(), known.detail(), known.remedy()));
    }

    private static ResponseEntity<ProblemDetail> answer(
            HttpServletRequest request, ProblemType type, Sentence detail, @Nullable Sentence remedy) {
        return answer(request, type, detail, remedy, Map.of());
    }

    /** Answers in the language that the request asks for. @param more other properties of the problem */
    private static ResponseEntity<ProblemDetail> answer(
            HttpServletRequest request,
            ProblemType type,
            Sentence detail,
            @Nullable Sentence remedy,
            Map<String, Object> more) {
        Language language = RequestLanguage.asked(request);
        ProblemDetail problem = ProblemDetails.of(language, type, detail, remedy);
        more.forEach(problem::setProperty);
        return ResponseEntity.status(problem.getStatus())
                .header(
                        HttpHeaders.CONTENT_LANGUAGE,
                        Wordbook.in(language).languageOf(detail).code())
                .body(problem);
    }
}
