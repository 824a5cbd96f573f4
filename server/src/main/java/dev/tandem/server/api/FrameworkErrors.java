package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import dev.tandem.task.LogText;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.TypeMismatchException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.multipart.MaxUploadSizeExceededException;

/** Puts into sentences what Spring refuses before a controller sees it: unknown paths, wrong methods, media types and parameters. */
public final class FrameworkErrors {

    private static final int MAX_SHOWN = 200;

    private FrameworkErrors() {}

    /** A refusal of a request. @param remedy null if that cannot be said */
    public record Refusal(
            ProblemType type, Sentence detail, @Nullable Sentence remedy) {}

    /** Returns what a failure says of a request; empty if it is none of Spring's refusals. */
    public static Optional<Refusal> of(Exception failure, HttpServletRequest request) {
        if (failure instanceof TypeMismatchException mismatch) {
            String name = mismatch.getPropertyName();
            return Optional.of(new Refusal(
                    ProblemType.INVALID_PARAMETER,
                    Sentence.of("problem.parameter", name == null ? "?" : name, shown(mismatch.getValue())),
                    Sentence.of("remedy.correct")));
        } else if (failure instanceof MissingServletRequestParameterException missing) {
            return Optional.of(new Refusal(
                    ProblemType.INVALID_PARAMETER,
                    Sentence.of("problem.parameter-missing", missing.getParameterName()),
                    null));
        } else if (failure instanceof HttpRequestMethodNotSupportedException method) {
            String[] supported = method.getSupportedMethods();
            return Optional.of(new Refusal(
                    ProblemType.METHOD_NOT_ALLOWED,
                    Sentence.of("problem.method", method.getMethod()),
                    supported == null || supported.length == 0
                            ? null
                            : Sentence.of("remedy.use", String.join(", ", supported))));
        } else if (failure instanceof HttpMediaTypeNotSupportedException) {
            return Optional.of(
                    new Refusal(ProblemType.UNSUPPORTED_MEDIA_TYPE, Sentence.of("problem.media-type"), null));
        } else if (failure instanceof HttpMediaTypeNotAcceptableException) {
            return Optional.of(new Refusal(ProblemType.NOT_ACCEPTABLE, Sentence.of("problem.not-acceptable"), null));
        } else if (failure instanceof MaxUploadSizeExceededException) {
            return Optional.of(new Refusal(ProblemType.TOO_LONG, Sentence.of("problem.too-large"), null));
        } else if (failure instanceof ErrorResponse other) {
            return Optional.of(of(other.getStatusCode().value(), request.getRequestURI()));
        }
        return Optional.empty();
    }

    /** Returns what a status says of a request. @param path the one that was asked for */
    static Refusal of(int status, String path) {
        ProblemType type = ProblemType.of(status);
        return switch (type) {
            case NOT_FOUND ->
                new Refusal(type, Sentence.of("problem.no-path", shown(path)), Sentence.of("remedy.paths"));
            case TOO_LONG -> new Refusal(type, Sentence.of("problem.too-large"), null);
            default ->
                type.status().is5xxServerError()
                        ? new Refusal(type, Sentence.of("problem.failed"), Sentence.of("remedy.server-log"))
                        : new Refusal(
                                type,
                                Sentence.of("problem.status", type.status().value()),
                                null);
        };
    }

    private static String shown(@Nullable Object text) {
        return LogText.oneLine(String.valueOf(text), MAX_SHOWN);
    }
}
