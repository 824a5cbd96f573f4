package dev.tandem.server.security;

import dev.tandem.server.words.Language;
import dev.tandem.server.words.RequestLanguage;
import dev.tandem.server.words.Sentence;
import dev.tandem.server.words.Wordbook;
import jakarta.servlet.http.HttpServletRequest;
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

    private static final String LINK = "./tandem login --browser";
    private static final String PRINT = "./tandem tokens print";
    private static final Sentence LOG_IN = Sentence.of("login");

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
            <html lang="%s">
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

    private final Language language;
    private final Wordbook words;

    private LoginPages(Language language) {
        this.language = language;
        this.words = Wordbook.in(language);
    }

    /** Returns the pages in the language of a browser. */
    static LoginPages of(HttpServletRequest request) {
        return new LoginPages(RequestLanguage.of(request));
    }

    /** Returns the form that asks for a token. @param failure why the last one was not accepted; null at first */
    String login(@Nullable Sentence failure, String next, String csrf, Map<String, String> providers) {
        StringBuilder body = new StringBuilder();
        if (failure != null) {
            body.append("<p role=\"alert\" id=\"failure\">")
                    .append(said(failure))
                    .append("</p>\n");
        }
        providers.forEach((path, name) -> body.append("<p><a href=\"")
                .append(escaped(path))
                .append("\">")
                .append(said(Sentence.of("login.with", name)))
                .append("</a></p>\n"));
        body.append("<form method=\"post\" action=\"/login\">\n")
                .append(hidden(SessionCsrf.FIELD, csrf))
                .append(hidden("next", next))
                .append("<label for=\"token\">")
                .append(said(Sentence.of("login.token")))
                .append("</label>\n<input id=\"token\" name=\"token\" type=\"password\"")
                .append(" autocomplete=\"current-password\" spellcheck=\"false\" maxlength=\"200\" required autofocus")
                .append(failure == null ? "" : " aria-invalid=\"true\" aria-describedby=\"failure\"")
                .append(">\n")
                .append(button())
                .append("</form>\n<p>")
                .append(said(Sentence.of("login.how", LINK, PRINT))
                        .replace(LINK, "<code>" + LINK + "</code>")
                        .replace(PRINT, "<code>" + PRINT + "</code>"))
                .append("</p>");
        return page(LOG_IN, body.toString());
    }

    /** Returns the form that spends a code of the command line. A link alone logs nobody in: programs open links too. */
    String code(String code, String csrf) {
        return page(
                LOG_IN,
                "<p>" + said(Sentence.of("login.once")) + "</p>\n<form method=\"post\" action=\"/login\">\n"
                        + hidden(SessionCsrf.FIELD, csrf) + hidden("code", code) + button() + "</form>");
    }

    private String button() {
        return "<button>" + said(LOG_IN) + "</button>\n";
    }

    /** Returns a page that only says something. */
    String message(Sentence title, Sentence text) {
        return page(
                title, "<p role=\"alert\">" + said(text) + "</p>\n<p><a href=\"/login\">" + said(LOG_IN) + "</a></p>");
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

    private String page(Sentence title, String body) {
        return FRAME.formatted(language.code(), said(title), STYLE, said(title), body);
    }

    private String said(Sentence sentence) {
        return escaped(words.say(sentence));
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
