package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * The kinds of problems that the API answers with. Programs rely on their names, so they do not change; docs/protocol.md lists
 * them. The first one of a status is for what has no kind of its own.
 */
public enum ProblemType {
    INVALID_REQUEST(HttpStatus.BAD_REQUEST),
    UNKNOWN_PARAMETER(HttpStatus.BAD_REQUEST),
    INVALID_PARAMETER(HttpStatus.BAD_REQUEST),
    INVALID_CURSOR(HttpStatus.BAD_REQUEST),
    INVALID_BODY(HttpStatus.BAD_REQUEST),
    INVALID_TASK(HttpStatus.BAD_REQUEST),
    LOGIN_REQUIRED(HttpStatus.UNAUTHORIZED),
    INVALID_TOKEN(HttpStatus.UNAUTHORIZED),
    NOT_PERMITTED(HttpStatus.FORBIDDEN),
    FOREIGN_ORIGIN(HttpStatus.FORBIDDEN),
    NOT_FOUND(HttpStatus.NOT_FOUND),
    UNKNOWN_QUEUE(HttpStatus.NOT_FOUND),
    UNKNOWN_TASK(HttpStatus.NOT_FOUND),
    UNKNOWN_OPERATION(HttpStatus.NOT_FOUND),
    UNKNOWN_FAN_OUT(HttpStatus.NOT_FOUND),
    UNKNOWN_LIMIT(HttpStatus.NOT_FOUND),
    UNKNOWN_SCHEDULE(HttpStatus.NOT_FOUND),
    UNKNOWN_TOKEN(HttpStatus.NOT_FOUND),
    NO_ARCHIVE(HttpStatus.NOT_FOUND),
    METHOD_NOT_ALLOWED(HttpStatus.METHOD_NOT_ALLOWED),
    NOT_ACCEPTABLE(HttpStatus.NOT_ACCEPTABLE),
    SLOW_BODY(HttpStatus.REQUEST_TIMEOUT),
    CONFLICT(HttpStatus.CONFLICT),
    AMBIGUOUS_ID(HttpStatus.CONFLICT),
    TASK_RUNNING(HttpStatus.CONFLICT),
    TASK_ENDED(HttpStatus.CONFLICT),
    TASK_IN_OTHER_STATE(HttpStatus.CONFLICT),
    TASK_HALTS_KEY(HttpStatus.CONFLICT),
    TASK_WOULD_EXPIRE(HttpStatus.CONFLICT),
    PAYLOAD_MASKED(HttpStatus.CONFLICT),
    KEY_NOT_BLOCKED(HttpStatus.CONFLICT),
    KEY_NOT_HALTED(HttpStatus.CONFLICT),
    OTHER_HEAD(HttpStatus.CONFLICT),
    LIMIT_CHANGED(HttpStatus.CONFLICT),
    LEASE_LOST(HttpStatus.CONFLICT),
    NOT_PULLED(HttpStatus.CONFLICT),
    TOO_MANY(HttpStatus.CONFLICT),
    ALREADY_EXISTS(HttpStatus.CONFLICT),
    SUBTASKS_MAY_RUN(HttpStatus.CONFLICT),
    ALREADY_ENDED(HttpStatus.CONFLICT),
    SCHEDULE_OF_PROGRAM(HttpStatus.CONFLICT),
    SCHEDULE_WITHOUT_PROGRAM(HttpStatus.CONFLICT),
    TOPIC_NOT_CHANGED(HttpStatus.CONFLICT),
    LAST_ADMIN(HttpStatus.CONFLICT),
    IDEMPOTENCY_KEY_IN_USE(HttpStatus.CONFLICT),
    PAYLOAD_CHANGED(HttpStatus.PRECONDITION_FAILED),
    TOO_LONG(HttpStatus.CONTENT_TOO_LARGE),
    UNSUPPORTED_MEDIA_TYPE(HttpStatus.UNSUPPORTED_MEDIA_TYPE),
    IDEMPOTENCY_KEY_REUSED(HttpStatus.UNPROCESSABLE_CONTENT),
    ETAG_REQUIRED(HttpStatus.PRECONDITION_REQUIRED),
    TOO_MANY_BAD_TOKENS(HttpStatus.TOO_MANY_REQUESTS),
    UNAVAILABLE(HttpStatus.SERVICE_UNAVAILABLE),
    BUSY(HttpStatus.SERVICE_UNAVAILABLE),
    SLOW_SEARCH(HttpStatus.SERVICE_UNAVAILABLE),
    IDEMPOTENCY_KEYS_FULL(HttpStatus.SERVICE_UNAVAILABLE),
    STOPPING(HttpStatus.SERVICE_UNAVAILABLE),
    NOT_CONFIRMED(HttpStatus.SERVICE_UNAVAILABLE),
    OUTCOME_UNKNOWN(HttpStatus.SERVICE_UNAVAILABLE),
    INTERNAL_ERROR(HttpStatus.INTERNAL_SERVER_ERROR);

    private static final String PREFIX = "urn:tandem:problem:";

    private final HttpStatus status;
    private final URI uri;

    ProblemType(HttpStatus status) {
        this.status = status;
        this.uri = URI.create(PREFIX + word());
    }

    /** Returns the kind of problems that have this status and no kind of their own. */
    static ProblemType of(int status) {
        for (ProblemType type : values()) {
            if (type.status.value() == status) {
                return type;
            }
        }
        return status < 500 ? INVALID_REQUEST : INTERNAL_ERROR;
    }

    /** Returns its name without what all have in common, such as {@code unknown-queue}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the status that goes with it. */
    public HttpStatus status() {
        return status;
    }

    /** Returns what the field {@code type} of a problem has. */
    public URI uri() {
        return uri;
    }

    /** Returns the refusal of a request for this reason. */
    ApiException refusal(Sentence detail, @Nullable Sentence remedy) {
        return ApiException.of(this, detail, remedy);
    }

    /** Returns the refusal of a request that no page makes: programs read it, in English. */
    ApiException refusal(String detail, String remedy) {
        return refusal(Sentence.problem(detail), Sentence.problem(remedy));
    }
}
