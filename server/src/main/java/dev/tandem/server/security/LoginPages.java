package dev.tandem.server.security;

import dev.tandem.server.access.Caller;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.util.HtmlUtils;

/** The pages around the login: plain HTML without scripts. All that comes from outside is escaped. */
final class LoginPages {

    private static final String STYLE = """
            :root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
            body{max-width:34rem;margin:3rem auto;padding:0 1rem}
            label,input,button{display:block;font:inherit}
            input{box-sizing:border-box;width:100%;padding:.5rem;margin:.25rem 0 1rem}
            button{padding:.5rem 1.5rem}
            [role=alert]{border-left:.25rem solid #c00;padding-left:1rem}
            dt{font-weight:bold}""";

    /** Permits the style above and forms to this server, and nothing else. */
    private static final String POLICY = "default-src 'none'; style-src '" + hash(STYLE)
            + "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

    private static final String FRAME = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>%s – Tandem</title>
            <style>%s</style>
            </head>
            <body>
            <main>
            <h1>%s</h1>
            %s
            </main>
            </body>
            </html>
            """;

    private LoginPages() {}

    /** Returns the form that asks for a token. @param failure why the last one was not accepted; null at first */
    static String login(@Nullable String failure, String next, String csrf, Map<String, String> providers) {
        StringBuilder body = new StringBuilder();
        if (failure != null) {
            body.append("<p role=\"alert\" id=\"failure\">")
                    .append(escaped(failure))
                    .append("</p>\n");
        }
        providers.forEach((path, name) -> body.append("<p><a href=\"")
                .append(escaped(path))
                .append("\">Log in with ")
                .append(escaped(name))
                .append("</a></p>\n"));
        body.append("<form method=\"post\" action=\"/login\">\n")
                .append(hidden(SessionCsrf.FIELD, csrf))
                .append(hidden("next", next))
                .append("<label for=\"token\">Token</label>\n<input id=\"token\" name=\"token\" type=\"password\"")
                .append(" autocomplete=\"current-password\" spellcheck=\"false\" maxlength=\"200\" required autofocus")
                .append(failure == null ? "" : " aria-invalid=\"true\" aria-describedby=\"failure\"")
                .append(">\n<button>Log in</button>\n</form>\n")
                .append("<p>On the machine of the server, <code>./tandem login --browser</code> makes a link that logs")
                .append(" you in, and <code>./tandem tokens print</code> prints the token of its commands.</p>");
        return page("Log in", body.toString());
    }

    /** Returns the form that spends a code of the command line. A link alone logs nobody in: programs open links too. */
    static String code(String code, String csrf) {
        return page(
                "Log in",
                "<p>This link is good once.</p>\n<form method=\"post\" action=\"/login\">\n"
                        + hidden(SessionCsrf.FIELD, csrf) + hidden("code", code)
                        + "<button>Log in</button>\n</form>");
    }

    /** Returns who is logged in. The start page of the server. */
    static String home(Caller caller, String csrf) {
        String queues = caller.queues().isEmpty() ? "all" : String.join(", ", caller.queues());
        String logout = switch (caller.by()) {
            case SESSION, OIDC ->
                "<form method=\"post\" action=\"/logout\">\n" + hidden(SessionCsrf.FIELD, csrf)
                        + "<button>Log out</button>\n</form>";
            case NOTHING -> "<p>This server needs no login.</p>";
            case PROXY, TOKEN -> "";
        };
        return page(
                "Tandem",
                "<dl>\n<dt>Logged in as</dt><dd>" + escaped(caller.name()) + "</dd>\n<dt>Role</dt><dd>"
                        + caller.role().text() + "</dd>\n<dt>Queues</dt><dd>" + escaped(queues)
                        + "</dd>\n</dl>\n"
                        + "<p>The API: <a href=\"/api/v1/caller\">who you are</a>,"
                        + " <a href=\"/api/v1/queues\">queues</a>, <a href=\"/actuator/health\">health</a>."
                        + " <a href=\"/api/v1/openapi.yaml\">All routes</a>, as OpenAPI.</p>\n"
                        + logout);
    }

    /** Returns a page that only says something. */
    static String message(String title, String text) {
        return page(title, "<p role=\"alert\">" + escaped(text) + "</p>\n<p><a href=\"/login\">Log in</a></p>");
    }

    /** Sends a page. */
    static void send(HttpServletResponse response, HttpStatus status, String page) throws IOException {
        response.setStatus(status.value());
        response.setContentType("text/html;charset=UTF-8");
        response.setHeader("Content-Security-Policy", POLICY);
        byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    private static String page(String title, String body) {
        return FRAME.formatted(title, STYLE, title, body);
    }

    private static String hidden(String name, String value) {
        return "<input type=\"hidden\" name=\"" + name + "\" value=\"" + escaped(value) + "\">\n";
    }

    private static String escaped(String text) {
        return HtmlUtils.htmlEscape(text, StandardCharsets.UTF_8.name());
    }

    private static String hash(String style) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(style.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
