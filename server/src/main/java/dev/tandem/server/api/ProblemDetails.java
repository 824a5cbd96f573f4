package dev.tandem.server.api;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;

/** Creates problem details (RFC 9457) with a {@code remedy} besides the detail. */
public final class ProblemDetails {

    private ProblemDetails() {}

    static ProblemDetail of(HttpStatusCode status, String detail, @Nullable String remedy) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        HttpStatus known = HttpStatus.resolve(status.value());
        if (known != null) {
            problem.setTitle(known.getReasonPhrase());
        }
        if (remedy != null) {
            problem.setProperty("remedy", remedy);
        }
        return problem;
    }

    /** Returns the same as a map, for code outside of Spring MVC. */
    public static Map<String, Object> asMap(HttpStatus status, String detail, String remedy) {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("title", status.getReasonPhrase());
        problem.put("status", status.value());
        problem.put("detail", detail);
        problem.put("remedy", remedy);
        return problem;
    }
}
