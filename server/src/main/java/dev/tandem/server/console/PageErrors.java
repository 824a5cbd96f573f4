package dev.tandem.server.console;

import dev.tandem.server.api.ApiException;
import dev.tandem.server.api.EventStreams;
import dev.tandem.server.api.ForbiddenException;
import dev.tandem.server.api.ProblemType;
import dev.tandem.server.console.GoneTask.GoneException;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.Sentence;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Shows what is wrong with a request for a page as a page. */
@ControllerAdvice(basePackageClasses = PageErrors.class)
@Order(Ordered.HIGHEST_PRECEDENCE)
final class PageErrors {

    /** @param type its name, as programs know it @param remedy what to do; null if that cannot be said */
    record Problem(
            int status,
            String type,
            Sentence text,
            @Nullable Sentence remedy) {}

    private final PageAnswers answers;

    PageErrors(PageAnswers answers) {
        this.answers = answers;
    }

    @ExceptionHandler
    void refused(ForbiddenException e, HttpServletRequest request, HttpServletResponse response) throws IOException {
        send(request, response, ProblemType.NOT_PERMITTED, e.detail(), e.remedy());
    }

    @ExceptionHandler
    void unavailable(UnavailableException e, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        send(
                request,
                response,
                ProblemType.UNAVAILABLE,
                Sentence.problem(String.valueOf(e.getMessage())),
                Sentence.of("remedy.load-again"));
    }

    @ExceptionHandler
    void wrong(ApiException e, HttpServletRequest request, HttpServletResponse response) throws IOException {
        send(request, response, e.type(), e.detail(), e.remedy());
    }

    @ExceptionHandler
    void gone(GoneException e, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (EventStreams.isAskedFor(request)) {
            answers.sendNotice(request, response, e.notice());
        } else {
            answers.send(request, response, HttpStatus.NOT_FOUND, e.page());
        }
    }

    private void send(
            HttpServletRequest request,
            HttpServletResponse response,
            ProblemType type,
            Sentence text,
            @Nullable Sentence remedy)
            throws IOException {
        if (EventStreams.isAskedFor(request)) {
            response.sendError(type.status().value());
            return;
        }
        Problem problem = new Problem(type.status().value(), type.word(), text, remedy);
        answers.send(request, response, type.status(), Page.still("problem", "problem.title", () -> problem));
    }
}
