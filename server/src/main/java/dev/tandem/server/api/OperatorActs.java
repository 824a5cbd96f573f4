package dev.tandem.server.api;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditLog;
import dev.tandem.server.access.Caller;
import dev.tandem.server.logs.OperatorLog;
import dev.tandem.server.logs.OperatorLog.Result;
import dev.tandem.task.LogText;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Passes each change that was asked of the API to the log and to the audit log, also those that were refused. Publishing a task
 * is no such change, nor is the work of a pull worker. The entry is made from the route, so that a new route needs nothing here.
 */
final class OperatorActs implements HandlerInterceptor {

    private static final int MAX_KEY = 64;
    private static final int MAX_TEXT = 200;
    private static final Set<String> PUBLISH =
            Set.of("/api/v1/queues/{queue}/tasks", "/api/v1/queues/{queue}/tasks/batch");

    /** The verbs of workers for leases. The others of their verbs change tasks as an operator does. */
    private static final Pattern OF_WORKERS = Pattern.compile(
            "/api/v1/queues/\\{queue}/pull/(lease|extend|finish|fail|release|bury|progress|checkpoint)");

    /** The attribute of a request that is no change of an operator, although its route may have some. */
    private static final String NO_ACT = OperatorActs.class.getName() + ".no-act";

    private static final String TOKENS = "/api/v1/tokens";
    private static final String LOGIN_LINKS = "/api/v1/login-links";

    /** The attribute of a request that says what was done, or may have been. */
    private static final String DONE = OperatorActs.class.getName() + ".done";

    /** A change made by a request. @param certain whether something was changed; false if it only may have been */
    private record Done(boolean certain, String details) {}

    /**
     * What a request is to change.
     *
     * @param kind what many such changes have in common, such as {@code a task of queue orders}
     * @param name which one, such as {@code task pay-1 of queue orders}
     */
    private record Subject(String kind, String name) {}

    /** What the variables of routes name. */
    private static final Map<String, String> NOUNS = Map.of(
            "id", "task", "operation", "operation", "schedule", "schedule", "fanOut", "fan-out", "token", "token");

    private final OperatorLog log;
    private final AuditLog audit;
    private final boolean namesKeys;
    private final InstantSource clock;

    OperatorActs(OperatorLog log, AuditLog audit, boolean namesKeys, InstantSource clock) {
        this.log = log;
        this.audit = audit;
        this.namesKeys = namesKeys;
        this.clock = clock;
    }

    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception failure) {
        String method = request.getMethod();
        String route = String.valueOf(request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE));
        boolean reads = method.equals(HttpMethod.GET.name()) || method.equals(HttpMethod.HEAD.name());
        boolean ofWorker = OF_WORKERS.matcher(route).matches() || request.getAttribute(NO_ACT) != null;
        if (reads || !route.startsWith("/api/") || PUBLISH.contains(route) || ofWorker) {
            return;
        }
        @SuppressWarnings("unchecked")
        Map<String, String> names =
                (Map<String, String>) request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        String action = action(method, route);
        Subject subject = subject(route, names == null ? Map.of() : names);
        String query = request.getQueryString() == null || !namesKeys
                ? ""
                : " (" + LogText.oneLine(decoded(request.getQueryString()), MAX_TEXT) + ")";
        Caller caller = Callers.of(request);
        String who = caller == null ? "nobody" : caller.name();
        Result result = result(response.getStatus(), (Done) request.getAttribute(DONE));
        log.acted(
                action + " of " + subject.kind(),
                action + " of " + subject.name() + query + ", asked by " + who + " at " + request.getRemoteAddr(),
                result);
        audit.record(
                new AuditEntry(
                        "",
                        clock.instant(),
                        who,
                        caller == null ? "" : caller.role().text(),
                        caller == null || caller.token() == null ? "" : caller.token(),
                        caller == null ? "" : caller.by().text(),
                        request.getRemoteAddr(),
                        action,
                        subject.name() + query,
                        response.getStatus(),
                        result.details().isEmpty() ? result.summary() : result.summary() + ": " + result.details()),
                // Everybody may make links as often as they like.
                !result.effective() || route.equals(LOGIN_LINKS));
    }

    /**
     * Keeps for the log what a request has changed. A request that is then refused has been done in part.
     *
     * @param certain whether something was changed; false if it only may have been
     * @param details without any key; null if nothing was changed, nor may have been
     */
    static void record(HttpServletRequest request, boolean certain, @Nullable String details) {
        request.setAttribute(DONE, details == null ? null : new Done(certain, details));
    }

    /** Says that a request is no change of an operator. */
    static void leaveOut(HttpServletRequest request) {
        request.setAttribute(NO_ACT, Boolean.TRUE);
    }

    private static Result result(int status, @Nullable Done done) {
        String details = done == null ? "" : done.details();
        if (status < 300) {
            return new Result(true, "done", details);
        } else if (done != null && done.certain()) {
            return new Result(true, "done in part, status " + status, details);
        }
        return status < 500
                ? new Result(false, "refused with status " + status, details)
                : new Result(true, "failed with status " + status + ", and may have been done", details);
    }

    private static String decoded(String query) {
        try {
            return URLDecoder.decode(query, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return query;
        }
    }

    /** Returns the last part of the route, as in {@code keys/{key}/skip}, or the method where that names a thing. */
    private static String action(String method, String route) {
        String last = last(route);
        if (route.equals(TOKENS) || route.equals(LOGIN_LINKS)) {
            return "create";
        }
        return method.equals(HttpMethod.POST.name()) && !last.startsWith("{") ? last : method.toLowerCase(Locale.ROOT);
    }

    private Subject subject(String route, Map<String, String> named) {
        if (route.equals(LOGIN_LINKS)) {
            return new Subject("a login link", "a login link");
        }
        String ofQueue = named.containsKey("queue") ? " of queue " + shown(named, "queue") : "";
        if (named.containsKey("key")) {
            String noun = route.contains("/dedup-keys/") ? "deduplication key" : "key";
            String key = namesKeys
                    ? noun + " '" + LogText.oneLine(named.getOrDefault("key", ""), MAX_KEY) + "'"
                    : "a " + noun;
            return new Subject("a " + noun + ofQueue, key + ofQueue);
        }
        for (Map.Entry<String, String> noun : NOUNS.entrySet()) {
            if (named.containsKey(noun.getKey())) {
                return new Subject(
                        "a " + noun.getValue() + ofQueue,
                        noun.getValue() + " " + shown(named, noun.getKey()) + ofQueue);
            }
        }
        String what = ofQueue.isEmpty() ? "a token" : ofQueue.substring(" of ".length());
        return new Subject(what, what);
    }

    private static String shown(Map<String, String> named, String variable) {
        return LogText.oneLine(named.getOrDefault(variable, ""), MAX_TEXT);
    }

    private static String last(String route) {
        return route.substring(route.lastIndexOf('/') + 1);
    }
}
