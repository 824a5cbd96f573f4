package dev.tandem.server.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tandem.api.Durations;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.executor.NotePolicy;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.PullPolicy;
import dev.tandem.task.LogText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON form of what a pull worker asks for, or says of a task. Each verb has some of the fields; the others are refused.
 *
 * @param leases what is said of several tasks at once; then no other field is allowed
 */
record PullBody(
        @Nullable Integer max,
        @JsonProperty("wait") @Nullable String waitTime,
        @Nullable String leaseTime,
        @Nullable Integer maxBytes,
        @Nullable String worker,
        @Nullable String lease,
        @Nullable JsonText result,
        @Nullable String error,
        @Nullable String delay,
        @Nullable String reason,
        @Nullable Long done,
        @Nullable Long total,
        @Nullable String text,
        @Nullable String log,
        @Nullable JsonText value,
        @Nullable String id,
        @Nullable List<PullBody> leases) {

    /** The most tasks of one request. */
    static final int MOST = 1_000;

    private static final Duration LONGEST_DELAY = Duration.ofDays(365);
    private static final int MAX_SHOWN = 60;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** Reads a body; an empty one has no fields. @throws ApiException if it is no such JSON, or has another field */
    static PullBody read(byte[] bytes, Set<String> allowed) {
        PullBody body = read(bytes.length == 0 ? new byte[] {'{', '}'} : bytes);
        List<PullBody> all = body.leases() == null ? List.of(body) : body.leases();
        if (all.isEmpty() || all.size() > MOST || all.stream().anyMatch(each -> each == null)) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/leases",
                    "leases has " + all.size() + " entries, or null",
                    "Use 1 to " + MOST);
        }
        Set<String> ofEach = new LinkedHashSet<>(allowed);
        boolean maySaySeveral = ofEach.remove("leases");
        if (body.leases() != null) {
            body.check(maySaySeveral ? Set.of("leases") : ofEach);
        }
        all.forEach(each -> each.check(ofEach));
        return body;
    }

    private static PullBody read(byte[] bytes) {
        PullBody body;
        try {
            body = JSON.readerFor(PullBody.class)
                    .withAttribute(JsonText.Reader.class, bytes)
                    .readValue(bytes);
        } catch (UnrecognizedPropertyException e) {
            throw ProblemType.INVALID_BODY.refusal(
                    "There is no field '" + LogText.oneLine(e.getPropertyName(), MAX_SHOWN) + "'", "See docs/pull.md");
        } catch (JacksonException e) {
            throw ProblemType.INVALID_BODY.refusal(
                    "The body is not JSON as expected: " + e.getOriginalMessage(), "See docs/pull.md");
        }
        if (body == null) {
            throw ApiException.field(ProblemType.INVALID_BODY, "", "The body is null", "Send an object, at least {}");
        }
        return body;
    }

    private void check(Set<String> allowed) {
        Map<String, @Nullable Object> given = new LinkedHashMap<>();
        given.put("max", max);
        given.put("wait", waitTime);
        given.put("leaseTime", leaseTime);
        given.put("maxBytes", maxBytes);
        given.put("worker", worker);
        given.put("lease", lease);
        given.put("result", result);
        given.put("error", error);
        given.put("delay", delay);
        given.put("reason", reason);
        given.put("done", done);
        given.put("total", total);
        given.put("text", text);
        given.put("log", log);
        given.put("value", value);
        given.put("id", id);
        given.put("leases", leases);
        given.forEach((name, field) -> {
            if (field != null && !allowed.contains(name)) {
                throw ApiException.field(
                        ProblemType.INVALID_BODY,
                        "/" + name,
                        "There is no field '" + name + "' here",
                        allowed.isEmpty() ? "Leave it out" : "Use " + String.join(", ", allowed));
            }
        });
    }

    /** Returns what is said of each task. */
    List<PullBody> orders() {
        return leases == null ? List.of(this) : leases;
    }

    LeaseName leaseName() {
        if (lease == null) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/lease",
                    "The field lease is missing",
                    "Send the lease of the task, as it was handed out");
        }
        return LeaseName.parse(lease)
                .orElseThrow(() -> ApiException.field(
                        ProblemType.INVALID_BODY,
                        "/lease",
                        "'" + LogText.oneLine(lease, MAX_SHOWN) + "' is no lease",
                        "Send the lease of the task, as it was handed out"));
    }

    /** Returns the result of the task, as JSON; null if there is none. No queue keeps a longer one than is allowed here. */
    @Nullable
    String resultText() {
        if (result == null) {
            return null;
        }
        int bytes = result.bytes().length;
        if (bytes > NotePolicy.MAX_RESULT_BYTES) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/result",
                    "The result of the task with the lease " + leaseName() + " has " + bytes + " bytes",
                    "Send " + NotePolicy.MAX_RESULT_BYTES + " bytes at most, which is the highest max-result-bytes,"
                            + " or no result: keep it elsewhere, and send where it is");
        }
        return result.text();
    }

    /** Returns the time that the worker wants to have, in milliseconds; 0 if it says nothing. */
    long leaseMillis() {
        return leaseTime == null
                ? 0
                : millis("leaseTime", leaseTime, PullPolicy.SHORTEST_LEASE, PullPolicy.LONGEST_LEASE);
    }

    /** @param none what it is if the worker says nothing */
    long delayMillis(long none) {
        return delay == null ? none : millis("delay", delay, Duration.ZERO, LONGEST_DELAY);
    }

    static long millis(String field, String text, Duration least, Duration most) {
        String remedy = "Use " + least.toSeconds() + "s to " + most.toSeconds() + "s, for instance \"30s\"";
        Duration time;
        try {
            time = Durations.parse(field, text.substring(0, Math.min(MAX_SHOWN, text.length())));
        } catch (InvalidTaskException e) {
            throw ApiException.field(ProblemType.INVALID_BODY, "/" + field, String.valueOf(e.getMessage()), remedy);
        }
        if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY, "/" + field, "The field " + field + " is '" + text + "'", remedy);
        }
        return time.toMillis();
    }

    /** Returns a field within its bounds. @param none what it is if the worker says nothing */
    static int number(String field, @Nullable Integer given, int none, int most) {
        int value = given == null ? none : given;
        if (value < 1 || value > most) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY, "/" + field, "The field " + field + " is " + value, "Use 1 to " + most);
        }
        return value;
    }

    /** Returns a text, cut at its bound. @param none what it is if the worker says nothing */
    static String cut(@Nullable String given, String none, int most) {
        String value = given == null || given.isBlank() ? none : given;
        return value.length() > most ? value.substring(0, most) : value;
    }

    /** Leaves out what was said, which may have parts of payloads. */
    @Override
    public String toString() {
        List<String> said = new ArrayList<>();
        orders().forEach(each -> said.add(String.valueOf(each.lease)));
        return "PullBody" + said;
    }
}
