package dev.tandem.server.api;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ProblemDetail;

/** Creates problem details (RFC 9457) with a {@code remedy} besides the detail. */
public final class ProblemDetails {

    private ProblemDetails() {}

    static ProblemDetail of(ProblemType type, String detail, @Nullable String remedy) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(type.status(), detail);
        problem.setType(type.uri());
        problem.setTitle(type.status().getReasonPhrase());
        if (remedy != null) {
            problem.setProperty("remedy", remedy);
        }
        return problem;
    }

    /** Returns the same as a map, for code outside of Spring MVC. */
    public static Map<String, Object> asMap(ProblemType type, String detail, String remedy) {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("type", type.uri());
        problem.put("title", type.status().getReasonPhrase());
        problem.put("status", type.status().value());
        problem.put("detail", detail);
        problem.put("remedy", remedy);
        return problem;
    }
}
