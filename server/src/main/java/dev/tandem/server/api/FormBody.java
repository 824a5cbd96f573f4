package dev.tandem.server.api;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The fields of a form that a browser sent as the body of a request. The web server does not see them: the body was read before. */
public final class FormBody {

    private static final String TYPE = "application/x-www-form-urlencoded";

    private static final int MOST_FIELDS = 100;

    private FormBody() {}

    /** Returns the fields, the first value of each; none if the body is no form. */
    public static Map<String, String> of(HttpServletRequest request) {
        String type = request.getContentType();
        if (type == null || !type.regionMatches(true, 0, TYPE, 0, TYPE.length())) {
            return Map.of();
        }
        String body = new String(RequestLimitFilter.body(request), StandardCharsets.UTF_8);
        Map<String, String> fields = new LinkedHashMap<>();
        for (String field : body.split("&", MOST_FIELDS + 1)) {
            int equals = field.indexOf('=');
            if (equals > 0 && fields.size() < MOST_FIELDS) {
                fields.putIfAbsent(decoded(field.substring(0, equals)), decoded(field.substring(equals + 1)));
            }
        }
        return fields;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
