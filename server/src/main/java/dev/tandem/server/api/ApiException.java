package dev.tandem.server.api;

import dev.tandem.server.words.Language;
import dev.tandem.server.words.Sentence;
import dev.tandem.server.words.Wordbook;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** Refuses a request, with the reason and a remedy. */
public final class ApiException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final ProblemType type;
    private final transient Sentence detail;
    private final transient @Nullable Sentence remedy;
    private final @Nullable Place place;

    /** The part of a request that is wrong. @param kind {@code pointer}, {@code parameter} or {@code header} */
    private record Place(String kind, String name) {}

    private ApiException(ProblemType type, Sentence detail, @Nullable Sentence remedy, @Nullable Place place) {
        super(detail.english(), null, false, false);
        this.type = type;
        this.detail = detail;
        this.remedy = remedy;
        this.place = place;
    }

    /** Refuses a request. */
    static ApiException of(ProblemType type, Sentence detail, @Nullable Sentence remedy) {
        return new ApiException(type, detail, remedy, null);
    }

    /** Refuses the value of a parameter, of the query or the path. */
    static ApiException parameter(String name, Sentence detail, Sentence remedy) {
        return parameter(ProblemType.INVALID_PARAMETER, name, detail, remedy);
    }

    /** Refuses the value of a parameter of a route that no page calls. */
    static ApiException parameter(String name, String detail, String remedy) {
        return parameter(name, Sentence.problem(detail), Sentence.problem(remedy));
    }

    /** Refuses the value of a parameter that has a kind of problems of its own. */
    static ApiException parameter(ProblemType type, String name, Sentence detail, Sentence remedy) {
        return new ApiException(type, detail, remedy, new Place("parameter", name));
    }

    /** Refuses the value of a field of the body. @param pointer to the field (RFC 6901) */
    static ApiException field(ProblemType type, String pointer, Sentence detail, Sentence remedy) {
        return new ApiException(type, detail, remedy, new Place("pointer", pointer));
    }

    /** Refuses the value of a field of a body that no page sends. @param pointer to the field (RFC 6901) */
    static ApiException field(ProblemType type, String pointer, String detail, String remedy) {
        return field(type, pointer, Sentence.problem(detail), Sentence.problem(remedy));
    }

    /** Refuses the value of a header of the request. */
    static ApiException header(ProblemType type, String name, Sentence detail, Sentence remedy) {
        return new ApiException(type, detail, remedy, new Place("header", name));
    }

    /** Returns the name of a field as it stands in a pointer. */
    static String escaped(String field) {
        return field.replace("~", "~0").replace("/", "~1");
    }

    static ApiException badRequest(Sentence detail, Sentence remedy) {
        return ProblemType.INVALID_REQUEST.refusal(detail, remedy);
    }

    static ApiException notFound(Sentence detail, Sentence remedy) {
        return ProblemType.NOT_FOUND.refusal(detail, remedy);
    }

    static ApiException conflict(Sentence detail, Sentence remedy) {
        return ProblemType.CONFLICT.refusal(detail, remedy);
    }

    static ApiException unavailable(Sentence detail, Sentence remedy) {
        return ProblemType.UNAVAILABLE.refusal(detail, remedy);
    }

    /** Returns the kind of problem. */
    public ProblemType type() {
        return type;
    }

    /** Returns the status of the answer. */
    public HttpStatus status() {
        return type.status();
    }

    /** Whether there is no such task, so that a page about it has nothing to show. */
    public boolean isUnknownTask() {
        return type == ProblemType.UNKNOWN_TASK;
    }

    /** Returns the reason. */
    public Sentence detail() {
        return detail;
    }

    /** Returns what to do; null if that cannot be said. */
    public @Nullable Sentence remedy() {
        return remedy;
    }

    /** Returns the place that is wrong, as in the problem; null if that cannot be said. */
    @Nullable
    Map<String, String> place(Language language) {
        return place == null ? null : Map.of("detail", Wordbook.in(language).say(detail), place.kind(), place.name());
    }
}
