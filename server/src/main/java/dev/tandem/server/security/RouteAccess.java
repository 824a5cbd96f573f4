package dev.tandem.server.security;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.access.Rights;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.ForbiddenException;
import dev.tandem.server.words.Sentence;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Refuses requests for which the caller lacks the permission. It decides by the method that Spring has chosen for the request
 * and not by the path, so that no spelling of a path leads around it.
 */
final class RouteAccess implements HandlerInterceptor {

    private static final String API = "/api/";

    private final Rights rights;

    RouteAccess(Rights rights) {
        this.rights = rights;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        // An answer that was waited for comes back through here. The request was checked when it came.
        if (request.getDispatcherType() != DispatcherType.REQUEST || !(handler instanceof HandlerMethod method)) {
            return true;
        }
        if (request.getMethod().equals(HttpMethod.OPTIONS.name())) {
            return true; // says which methods there are, and does nothing
        }
        Needs needs = needs(method, isRead(request));
        if (needs == null) {
            if (String.valueOf(request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE))
                    .startsWith(API)) {
                throw new ForbiddenException(Sentence.of("problem.no-route"), Sentence.of("remedy.bug"));
            }
            return true;
        }
        Caller caller = Callers.of(request);
        Permission[] needed = needs.value();
        String queue = queue(request);
        if (needed.length > 0
                && (caller == null
                        || Stream.of(needed).noneMatch(permission -> rights.may(caller, permission, queue)))) {
            throw refusal(caller, needed[0], queue);
        }
        return true;
    }

    /** Returns what a method says that its callers need; null if it does not say. */
    static @Nullable Needs needs(HandlerMethod method, boolean reads) {
        Needs own = method.getMethodAnnotation(Needs.class);
        return own == null && reads ? method.getBeanType().getAnnotation(Needs.class) : own;
    }

    private static boolean isRead(HttpServletRequest request) {
        return request.getMethod().equals(HttpMethod.GET.name())
                || request.getMethod().equals(HttpMethod.HEAD.name());
    }

    private static @Nullable String queue(HttpServletRequest request) {
        return request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE) instanceof Map<?, ?> names
                        && names.get("queue") instanceof String queue
                ? queue
                : null;
    }

    private ForbiddenException refusal(@Nullable Caller caller, Permission needed, @Nullable String queue) {
        if (caller == null) {
            return new ForbiddenException(Sentence.of("problem.login"), Refusals.HOW_TO_LOG_IN);
        }
        return rights.permits(caller.role(), needed)
                ? new ForbiddenException(
                        queue == null
                                ? Sentence.of(
                                        "problem.role-of-queues",
                                        caller.name(),
                                        caller.role().text(),
                                        String.join(", ", caller.queues()))
                                : Sentence.of(
                                        "problem.role-of-other-queues",
                                        caller.name(),
                                        caller.role().text(),
                                        String.join(", ", caller.queues()),
                                        queue),
                        Sentence.of("remedy.token-of-queue"))
                : new ForbiddenException(
                        Sentence.of("problem.role", caller.name(), caller.role().text()), rights.remedy(needed));
    }
}
