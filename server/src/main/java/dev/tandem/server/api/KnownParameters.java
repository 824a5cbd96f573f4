package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import dev.tandem.task.LogText;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Refuses query parameters that a route does not have. A mistyped one would be ignored, and the answer taken for what was
 * asked: {@code partion=3} would list all partitions.
 */
final class KnownParameters implements HandlerInterceptor {

    private static final int MAX_SHOWN = 100;

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        String query = request.getQueryString();
        if (query == null
                || !(handler instanceof HandlerMethod method)
                || !request.getRequestURI().startsWith("/api/")) {
            return true;
        }
        Set<String> known = known(method);
        for (String parameter : query.split("&")) {
            String name = decoded(parameter.split("=", 2)[0]);
            if (!name.isEmpty() && !known.contains(name)) {
                throw ProblemType.UNKNOWN_PARAMETER.refusal(
                        Sentence.of("problem.no-parameter", LogText.oneLine(name, MAX_SHOWN)),
                        known.isEmpty()
                                ? Sentence.of("remedy.no-parameters")
                                : Sentence.of("remedy.use", String.join(", ", known)));
            }
        }
        return true;
    }

    private static Set<String> known(HandlerMethod method) {
        return Arrays.stream(method.getMethod().getParameters())
                .filter(parameter -> AnnotatedElementUtils.hasAnnotation(parameter, RequestParam.class))
                .map(parameter -> {
                    RequestParam given = AnnotatedElementUtils.getMergedAnnotation(parameter, RequestParam.class);
                    return given == null || given.name().isEmpty() ? parameter.getName() : given.name();
                })
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String decoded(String name) {
        try {
            return URLDecoder.decode(name, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return name;
        }
    }
}
