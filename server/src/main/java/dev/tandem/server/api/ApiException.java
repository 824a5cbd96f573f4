package dev.tandem.server.api;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Refuses a request, with the reason and a remedy. */
final class ApiException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final ProblemType type;
    private final @Nullable String remedy;
    private final @Nullable Place place;

    /** The part of a request that is wrong. @param kind {@code pointer}, {@code parameter} or {@code header} */
    private record Place(String kind, String name) {}

    private ApiException(ProblemType type, String detail, @Nullable String remedy, @Nullable Place place) {
        super(detail, null, false, false);
        this.type = type;
        this.remedy = remedy;
        this.place = place;
    }

    /** Refuses a request. */
    static ApiException of(ProblemType type, String detail, @Nullable String remedy) {
        return new ApiException(type, detail, remedy, null);
    }

    /** Refuses the value of a parameter, of the query or the path. */
    static ApiException parameter(String name, String detail, String remedy) {
        return new ApiException(ProblemType.INVALID_PARAMETER, detail, remedy, new Place("parameter", name));
    }

    /** Refuses the value of a field of the body. @param pointer to the field (RFC 6901) */
    static ApiException field(ProblemType type, String pointer, String detail, String remedy) {
        return new ApiException(type, detail, remedy, new Place("pointer", pointer));
    }

    /** Refuses the value of a header of the request. */
    static ApiException header(ProblemType type, String name, String detail, String remedy) {
        return new ApiException(type, detail, remedy, new Place("header", name));
    }

    /** Returns the name of a field as it stands in a pointer. */
    static String escaped(String field) {
        return field.replace("~", "~0").replace("/", "~1");
    }

    static ApiException badRequest(String detail, String remedy) {
        return ProblemType.INVALID_REQUEST.refusal(detail, remedy);
    }

    static ApiException notFound(String detail, String remedy) {
        return ProblemType.NOT_FOUND.refusal(detail, remedy);
    }

    static ApiException conflict(String detail, String remedy) {
        return ProblemType.CONFLICT.refusal(detail, remedy);
    }

    static ApiException unavailable(String detail, String remedy) {
        return ProblemType.UNAVAILABLE.refusal(detail, remedy);
    }

    ProblemType type() {
        return type;
    }

    @Nullable
    String remedy() {
        return remedy;
    }

    /** Returns the places that are wrong, as in the problem; none if that cannot be said. */
    @Nullable
    Map<String, String> place() {
        return place == null ? null : Map.of("detail", String.valueOf(getMessage()), place.kind(), place.name());
    }
}
