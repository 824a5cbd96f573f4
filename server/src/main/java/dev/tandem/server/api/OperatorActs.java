package dev.tandem.server.api;

import dev.tandem.server.logs.OperatorLog;
import dev.tandem.server.logs.OperatorLog.Result;
import dev.tandem.task.LogText;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Passes each change that was asked of the API to the log, also those that were refused. Publishing a task is no such
 * change. The line is made from the route, so that a new route needs nothing here.
 */
final class OperatorActs implements HandlerInterceptor {

    private static final int MAX_KEY = 64;
    private static final int MAX_TEXT = 200;
    private static final String PUBLISH = "/api/v1/queues/{queue}/tasks";

    /** The attribute of a request that says what was done, or may have been. */
    private static final String DONE = OperatorActs.class.getName() + ".done";

    /** A change made by a request. @param certain whether something was changed; false if it only may have been */
    private record Done(boolean certain, String details) {}

    private final OperatorLog log;
    private final boolean namesKeys;

    OperatorActs(OperatorLog log, boolean namesKeys) {
        this.log = log;
        this.namesKeys = namesKeys;
    }

    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception failure) {
        String method = request.getMethod();
        String route = String.valueOf(request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE));
        boolean reads = method.equals(HttpMethod.GET.name()) || method.equals(HttpMethod.HEAD.name());
        if (reads || !route.startsWith("/api/") || route.equals(PUBLISH)) {
            return;
        }
        @SuppressWarnings("unchecked")
        Map<String, String> names =
                (Map<String, String>) request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        Map<String, String> named = names == null ? Map.of() : names;
        String action = action(method, route);
        if (named.containsKey("schedule")) {
            String schedule = "schedule " + LogText.oneLine(named.getOrDefault("schedule", ""), MAX_TEXT);
            log.acted(
                    action + " of a schedule",
                    action + " of " + schedule + ", asked by " + request.getRemoteAddr(),
                    result(response.getStatus(), null));
            return;
        }
        String queue = "queue " + LogText.oneLine(named.getOrDefault("queue", "?"), MAX_TEXT);
        String keyNoun = route.contains("/dedup-keys/") ? "deduplication key" : "key";
        String noun = noun(named, keyNoun);
        String kind = action + " of " + (noun.isEmpty() ? "" : "a " + noun + " of ") + queue;
        String subject = noun.equals(keyNoun) && !namesKeys ? "a " + noun + " of " : subject(noun, named);
        String query = request.getQueryString() == null || !namesKeys
                ? ""
                : " (" + LogText.oneLine(decoded(request.getQueryString()), MAX_TEXT) + ")";
        String act = action + " of " + subject + queue + query + ", asked by " + request.getRemoteAddr();
        log.acted(kind, act, result(response.getStatus(), (Done) request.getAttribute(DONE)));
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
        String last = route.substring(route.lastIndexOf('/') + 1);
        return method.equals(HttpMethod.POST.name()) && !last.startsWith("{") ? last : method.toLowerCase(Locale.ROOT);
    }

    private static String noun(Map<String, String> named, String keyNoun) {
        if (named.containsKey("key")) {
            return keyNoun;
        }
        return named.containsKey("id") ? "task" : named.containsKey("operation") ? "operation" : "";
    }

    private static String subject(String noun, Map<String, String> named) {
        return switch (noun) {
            case "key", "deduplication key" ->
                noun + " '" + LogText.oneLine(named.getOrDefault("key", ""), MAX_KEY) + "' of ";
            case "task" -> "task " + LogText.oneLine(named.getOrDefault("id", ""), MAX_TEXT) + " of ";
            case "operation" -> "operation " + LogText.oneLine(named.getOrDefault("operation", ""), MAX_TEXT) + " of ";
            default -> "";
        };
    }
}
