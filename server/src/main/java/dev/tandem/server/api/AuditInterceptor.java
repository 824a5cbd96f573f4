package dev.tandem.server.api;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditKind;
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
 * Passes each change that was asked of the API to the log and to the audit log, also those that were refused. A request that
 * publishes tasks is in a part of the audit log of its own, and not in the log. The work of a pull worker is in neither. The
 * entry is made from the route, so that a new route needs nothing here.
 */
final class AuditInterceptor implements HandlerInterceptor {

    private static final int MAX_KEY = 64;
    private static final int MAX_TEXT = 200;

    /** The longest id of a task. No change is made of one that is longer. */
    private static final int MAX_ID = 512;

    private static final Set<String> PUBLISH =
            Set.of("/api/v1/queues/{queue}/tasks", "/api/v1/queues/{queue}/tasks/batch");

    /** The verbs of workers for leases. The others of their verbs change tasks as an operator does. */
    private static final Pattern OF_WORKERS = Pattern.compile(
            "/api/v1/queues/\\{queue}/pull/(lease|extend|finish|fail|release|bury|progress|checkpoint)");

    /** The attribute of a request that is no change of an operator, although its route may have some. */
    private static final String NO_ACT = AuditInterceptor.class.getName() + ".no-act";

    private static final String TOKENS = "/api/v1/tokens";
    private static final String LOGIN_LINKS = "/api/v1/login-links";

    /** The attribute of a request that says what was done, or may have been. */
    private static final String DONE = AuditInterceptor.class.getName() + ".done";

    /** The attribute of a request that has changed nothing yet, so that its failure leaves all as it was. */
    private static final String UNTOUCHED = AuditInterceptor.class.getName() + ".untouched";

    /** The attribute of a request that says how many tasks it has published. */
    private static final String PUBLISHED = AuditInterceptor.class.getName() + ".published";

    /** A change made by a request. @param certain whether something was changed; false if it only may have been */
    private record Done(boolean certain, String details) {}

    /**
     * The subject of a change that a request asks for.
     *
     * @param kind what many such changes have in common, such as {@code a task of queue orders}
     * @param name which one, such as {@code task pay-1 of queue orders}
     */
    private record Subject(String kind, String name) {}

    /** The nouns for the variables of routes. */
    private static final Map<String, String> NOUNS = Map.of(
            "id",
            "task",
            "operation",
            "operation",
            "schedule",
            "schedule",
            "fanOut",
            "fan-out",
            "token",
            "token",
            "limit",
            "limit");

    private final OperatorLog log;
    private final AuditLog audit;
    private final boolean namesKeys;
    private final InstantSource clock;

    AuditInterceptor(OperatorLog log, AuditLog audit, boolean namesKeys, InstantSource clock) {
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
        if (reads || !route.startsWith("/api/") || ofWorker) {
            return;
        } else if (PUBLISH.contains(route)) {
            recordPublished(request, response.getStatus());
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
        Result result = isUntouched(request) && response.getStatus() >= 500
                ? new Result(false, "failed with status " + response.getStatus() + ", and nothing was done", "")
                : result(response.getStatus(), (Done) request.getAttribute(DONE));
        log.acted(
                action + " of " + subject.kind(),
                action + " of " + subject.name() + query + ", asked by " + who + " at " + request.getRemoteAddr(),
                result);
        AuditKind kind = route.equals(LOGIN_LINKS)
                ? AuditKind.LOGIN_LINKS
                : result.effective() ? AuditKind.CHANGES : AuditKind.REFUSED;
        AuditEntry entry = AuditEntry.of(
                clock.instant(),
                caller,
                request.getRemoteAddr(),
                action,
                subject.name() + query,
                response.getStatus(),
                result.details().isEmpty() ? result.summary() : result.summary() + ": " + result.details());
        audit.record(kind, withPlace(entry, names == null ? Map.of() : names));
    }

    /** Returns the entry with the queue and the task that the route names. */
    private static AuditEntry withPlace(AuditEntry entry, Map<String, String> named) {
        String queue = named.get("queue");
        String task = named.get("id");
        return queue == null || queue.length() > MAX_TEXT
                ? entry
                : entry.about(queue, task == null || task.length() > MAX_ID ? null : task);
    }

    private void recordPublished(HttpServletRequest request, int status) {
        long tasks = request.getAttribute(PUBLISHED) instanceof Long count ? count : 0;
        @SuppressWarnings("unchecked")
        Map<String, String> names =
                (Map<String, String>) request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        String result = status < 300
                ? "done"
                : status < 500
                        ? "refused with status " + status
                        : "failed with status " + status + ", and more may have been published";
        Map<String, String> named = names == null ? Map.of() : names;
        AuditEntry entry = AuditEntry.of(
                clock.instant(),
                Callers.of(request),
                request.getRemoteAddr(),
                "publish",
                "queue " + shown(named, "queue"),
                status,
                result);
        audit.record(AuditKind.PUBLISHED, withPlace(entry, named).published(tasks));
    }

    /** Keeps for the audit log how many tasks a request has surely published. */
    static void published(HttpServletRequest request, long tasks) {
        request.setAttribute(PUBLISHED, tasks);
    }

    /**
     * Keeps for the log what a request has changed. A request that is then refused has been done in part.
     *
     * @param certain whether something was changed; false if it only may have been
     * @param details without any key; null if nothing was changed, nor may have been
     */
    static void record(HttpServletRequest request, boolean certain, @Nullable String details) {
        mayChange(request);
        request.setAttribute(DONE, details == null ? null : new Done(certain, details));
    }

    /** Says that a request reads before it changes something. If it fails until {@link #mayChange}, it has changed nothing. */
    static void reads(HttpServletRequest request) {
        request.setAttribute(UNTOUCHED, Boolean.TRUE);
    }

    /** Says that a request may have changed something from now on. */
    static void mayChange(HttpServletRequest request) {
        request.removeAttribute(UNTOUCHED);
    }

    /** Whether a request has changed nothing, for certain. */
    static boolean isUntouched(HttpServletRequest request) {
        return request.getAttribute(UNTOUCHED) != null;
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
        } else if (last.equals("payload")) {
            return "edit";
        } else if (last.equals("override")) {
            return method.equals(HttpMethod.PUT.name()) ? "change" : "reset";
        }
        return method.equals(HttpMethod.POST.name()) && !last.startsWith("{") ? last : method.toLowerCase(Locale.ROOT);
    }

    /** Returns the subject of changes of a task that is named so, but for what follows it in brackets. */
    static String task(String queue, String name) {
        return "task " + LogText.oneLine(name, MAX_TEXT) + " of queue " + LogText.oneLine(queue, MAX_TEXT);
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
