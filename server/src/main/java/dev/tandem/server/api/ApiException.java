package dev.tandem.server.api;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** Refuses a request, with the reason and a remedy. */
final class ApiException extends RuntimeException {

    private final HttpStatus status;
    private final @Nullable String remedy;

    ApiException(HttpStatus status, String detail, @Nullable String remedy) {
        super(detail, null, false, false);
        this.status = status;
        this.remedy = remedy;
    }

    static ApiException badRequest(String detail, String remedy) {
        return new ApiException(HttpStatus.BAD_REQUEST, detail, remedy);
    }

    static ApiException notFound(String detail, String remedy) {
        return new ApiException(HttpStatus.NOT_FOUND, detail, remedy);
    }

    static ApiException conflict(String detail, String remedy) {
        return new ApiException(HttpStatus.CONFLICT, detail, remedy);
    }

    static ApiException unavailable(String detail, String remedy) {
        return new ApiException(HttpStatus.SERVICE_UNAVAILABLE, detail, remedy);
    }

    HttpStatus status() {
        return status;
    }

    @Nullable
    String remedy() {
        return remedy;
    }
}
