package dev.tandem.server.security;

import dev.tandem.server.api.ProblemDetails;
import dev.tandem.server.api.ProblemType;
import dev.tandem.server.api.UnreadBody;
import dev.tandem.server.words.Sentence;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/** Writes the answers to requests that are refused before their bodies are read. */
final class Refusals {

    static final Sentence HOW_TO_LOG_IN = Sentence.of("remedy.login");

    private final JsonMapper json;

    Refusals(JsonMapper json) {
        this.json = json;
    }

    void write(
            HttpServletRequest request,
            HttpServletResponse response,
            ProblemType type,
            Sentence detail,
            Sentence remedy)
            throws IOException {
        UnreadBody.leave(request, response);
        ProblemDetails.write(request, response, json, type, detail, remedy);
    }

    /** Writes a page instead if the client is a browser that shows it. */
    void writeForPeople(
            HttpServletRequest request,
            HttpServletResponse response,
            ProblemType type,
            Sentence detail,
            Sentence remedy)
            throws IOException {
        if (takesPage(request)) {
            UnreadBody.leave(request, response);
            LoginPages.send(
                    response,
                    type.status(),
                    LoginPages.of(request)
                            .message(
                                    Sentence.problem(type.status().getReasonPhrase()),
                                    Sentence.of("login.problem", detail, remedy)));
        } else {
            write(request, response, type, detail, remedy);
        }
    }

    /** Whether a browser asks for a page, which may lead to the login instead. */
    static boolean isPage(HttpServletRequest request) {
        return request.getMethod().equals(HttpMethod.GET.name()) && takesPage(request);
    }

    private static boolean takesPage(HttpServletRequest request) {
        String path = request.getRequestURI();
        String accept = request.getHeader(HttpHeaders.ACCEPT);
        boolean forPrograms = path.startsWith("/api/") || path.startsWith("/actuator");
        return !forPrograms && accept != null && accept.contains(MediaType.TEXT_HTML_VALUE);
    }
}
