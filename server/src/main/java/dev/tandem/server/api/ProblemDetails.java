package dev.tandem.server.api;

import dev.tandem.server.words.Language;
import dev.tandem.server.words.RequestLanguage;
import dev.tandem.server.words.Sentence;
import dev.tandem.server.words.Wordbook;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import tools.jackson.databind.json.JsonMapper;

/** Creates problem details (RFC 9457) with a {@code remedy} besides the detail. */
public final class ProblemDetails {

    private ProblemDetails() {}

    /** Returns a problem in English. */
    static ProblemDetail of(ProblemType type, String detail, @Nullable String remedy) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(type.status(), detail);
        problem.setType(type.uri());
        problem.setTitle(type.status().getReasonPhrase());
        if (remedy != null) {
            problem.setProperty("remedy", remedy);
        }
        return problem;
    }

    /** Returns a problem in a language. */
    static ProblemDetail of(Language language, ProblemType type, Sentence detail, @Nullable Sentence remedy) {
        Wordbook words = Wordbook.in(language);
        return of(type, words.say(detail), remedy == null ? null : words.say(remedy));
    }

    /** Writes a problem in the language that the request asks for, outside of Spring MVC. */
    public static void write(
            HttpServletRequest request,
            HttpServletResponse response,
            JsonMapper json,
            ProblemType type,
            Sentence detail,
            Sentence remedy)
            throws IOException {
        Wordbook words = Wordbook.in(RequestLanguage.asked(request));
        response.setStatus(type.status().value());
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setHeader(
                HttpHeaders.CONTENT_LANGUAGE, words.languageOf(detail).code());
        json.writeValue(response.getOutputStream(), asMap(type, words.say(detail), words.say(remedy)));
    }

    private static Map<String, Object> asMap(ProblemType type, String detail, String remedy) {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("type", type.uri());
        problem.put("title", type.status().getReasonPhrase());
        problem.put("status", type.status().value());
        problem.put("detail", detail);
        problem.put("remedy", remedy);
        return problem;
    }
}
