package dev.tandem.server.api;

import dev.tandem.runtime.settings.TandemSettings.IdempotencySettings;
import dev.tandem.server.access.Caller;
import dev.tandem.server.inspect.KeyedRequests;
import dev.tandem.server.words.Sentence;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds requests with the header {@value #HEADER}. A key belongs to its caller, the route and the queue. Of all of these only hashes
 * are kept.
 */
final class IdempotencyKeys {

    static final String HEADER = "Idempotency-Key";

    /** A string as structured fields have it (RFC 9651), without escapes; clients that send it without quotes are understood too. */
    private static final Pattern QUOTED = Pattern.compile("\"([ !#-\\[\\]-~]{1,255})\"");

    private static final Pattern BARE = Pattern.compile("[!#-\\[\\]-~]{1,255}");

    private static final int HASH_BYTES = 16;

    private final KeyedRequests kept;
    private final IdempotencySettings settings;

    IdempotencyKeys(KeyedRequests kept, IdempotencySettings settings) {
        this.kept = kept;
        this.settings = settings;
    }

    /** Returns a request with such a header; null if it has none. @param route what tells it from other routes */
    @Nullable
    IdempotentRequest of(HttpServletRequest request, String route, String queue) {
        List<String> values = Collections.list(request.getHeaders(HEADER));
        if (values.isEmpty()) {
            return null;
        }
        String key = key(values);
        Caller caller = Callers.of(request);
        String who = hash(bytes(caller == null ? "nobody" : caller.identity()));
        String what = hash(bytes(route + " " + queue + " " + key));
        return new IdempotentRequest(kept.run(who, what), who + "/" + what, settings);
    }

    private static String key(List<String> values) {
        String value = values.get(0).strip();
        boolean isQuoted = QUOTED.matcher(value).matches();
        if (values.size() > 1 || !isQuoted && !BARE.matcher(value).matches()) {
            throw ApiException.header(
                    ProblemType.INVALID_REQUEST,
                    HEADER,
                    Sentence.of("problem.idempotency-key", HEADER),
                    Sentence.of("remedy.idempotency-key"));
        }
        return isQuoted ? value.substring(1, value.length() - 1) : value;
    }

    /** Returns a short hash of these texts, in letters that names of tasks may have. */
    static String hash(byte[]... texts) {
        MessageDigest digest = sha256();
        for (byte[] text : texts) {
            digest.update(text);
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(digest.digest(), HASH_BYTES));
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
