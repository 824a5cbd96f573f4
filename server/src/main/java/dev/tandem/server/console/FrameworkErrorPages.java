package dev.tandem.server.console;

import dev.tandem.server.api.Callers;
import dev.tandem.server.api.EventStreams;
import dev.tandem.server.api.FrameworkErrors;
import dev.tandem.server.api.FrameworkErrors.Refusal;
import dev.tandem.server.console.PageErrors.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Shows as a page what Spring refuses before a controller sees it, such as an unknown path, to those who look with a browser. All
 * others get what the API says of it.
 */
final class FrameworkErrorPages implements HandlerExceptionResolver, Ordered {

    private static final Logger log = LoggerFactory.getLogger(FrameworkErrorPages.class);

    private final PageAnswers answers;

    FrameworkErrorPages(PageAnswers answers) {
        this.answers = answers;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception failure) {
        if (!wantsPage(request)) {
            return null;
        }
        Optional<Refusal> refusal = FrameworkErrors.of(failure, request);
        if (refusal.isEmpty()) {
            return null;
        }
        Refusal known = refusal.get();
        Problem problem =
                new Problem(known.type().status().value(), known.type().word(), known.detail(), null);
        try {
            answers.send(
                    request, response, known.type().status(), Page.still("problem", "problem.title", () -> problem));
        } catch (IOException e) {
            log.debug("A browser has not waited for a page", e);
        }
        return new ModelAndView();
    }

    private static boolean wantsPage(HttpServletRequest request) {
        String path = request.getRequestURI();
        String accept = request.getHeader(HttpHeaders.ACCEPT);
        return Callers.of(request) != null
                && !path.startsWith("/api/")
                && !path.startsWith("/actuator")
                && accept != null
                && accept.contains(MediaType.TEXT_HTML_VALUE)
                && !EventStreams.isAskedFor(request);
    }

    /** Comes before the resolver that asks the handlers of errors. */
    @Override
    public int getOrder() {
        return -1;
    }
}
