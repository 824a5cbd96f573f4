package dev.tandem.server.handlers;

import dev.tandem.runtime.settings.SettingsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signs requests as <a href="https://www.standardwebhooks.com">Standard Webhooks</a> says: HMAC-SHA-256 of id, time and body,
 * once for each key. Thread-safe.
 */
final class WebhookSigner {

    private static final String ALGORITHM = "HmacSHA256";
    private static final String PREFIX = "whsec_";
    private static final int LEAST_BYTES = 24;
    private static final int MOST_BYTES = 64;

    private final List<SecretKeySpec> keys = new ArrayList<>();
    private final InstantSource clock;

    private WebhookSigner(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Reads the keys.
     *
     * @param setting its name, for messages
     * @param places {@code file:} or {@code env:} and where each key is
     * @throws SettingsException if one is missing, or is no key
     */
    static WebhookSigner of(
            String setting, List<String> places, Function<String, @Nullable String> environment, InstantSource clock) {
        WebhookSigner signer = new WebhookSigner(clock);
        for (int i = 0; i < places.size(); i++) {
            String place = places.get(i);
            String where = place.substring(place.indexOf(':') + 1);
            String secret = place.startsWith("file:") ? read(where) : environment.apply(where);
            String wrong = secret == null ? "there is none, or it cannot be read" : signer.add(secret.strip());
            if (wrong != null) {
                // The setting's own value is shown masked, since somebody may have written a key there.
                throw SettingsException.of(setting + "[" + i + "]", place, "the key is in " + place + ": " + wrong);
            }
        }
        return signer;
    }

    private static @Nullable String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            return null;
        }
    }

    /** @return what is wrong with a key; null if it was added */
    private @Nullable String add(String secret) {
        String form = "it must be " + PREFIX + " and " + LEAST_BYTES + " to " + MOST_BYTES
                + " random bytes in Base64, as openssl rand -base64 32 prints them";
        if (!secret.startsWith(PREFIX)) {
            return form;
        }
        try {
            byte[] key = Base64.getDecoder().decode(secret.substring(PREFIX.length()));
            if (key.length < LEAST_BYTES || key.length > MOST_BYTES) {
                return form;
            }
            keys.add(new SecretKeySpec(key, ALGORITHM));
            return null;
        } catch (IllegalArgumentException e) {
            return form;
        }
    }

    /** Puts the headers of a signed request to the others. */
    void sign(PostedTask task, byte[] body, Map<String, String> headers) {
        // With a dot in the id, what is signed could be read in two ways.
        String id = HeaderEncoding.encode(task.id()).replace(".", "%2E");
        String time = Long.toString(clock.instant().getEpochSecond());
        headers.put("webhook-id", id);
        headers.put("webhook-timestamp", time);
        List<String> signatures = new ArrayList<>();
        for (SecretKeySpec key : keys) {
            signatures.add("v1," + signature(key, id + "." + time + ".", body));
        }
        headers.put("webhook-signature", String.join(" ", signatures));
    }

    private static String signature(SecretKeySpec key, String beginning, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(beginning.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java has " + ALGORITHM, e);
        }
    }
}
