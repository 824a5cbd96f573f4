package dev.tandem.server.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.runtime.settings.SettingsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookSignerTest {

    /** The example of the specification. */
    private static final String KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochSecond(1_614_265_330));
    private static final String BODY = "{\"test\": 2432232314}";
    private static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    @TempDir
    private Path folder;

    @Test
    void requestIsSignedAsStandardWebhooksSays() throws IOException {
        Path file = Files.writeString(folder.resolve("key"), KEY + "\n");

        assertThat(signed(List.of("file:" + file), ID))
                .containsExactly(
                        Map.entry("webhook-id", ID),
                        Map.entry("webhook-signature", SIGNATURE),
                        Map.entry("webhook-timestamp", "1614265330"));
    }

    @Test
    void whileKeysAreChangedThereIsASignatureByEach() {
        String both = signed(List.of("env:NEW", "env:OLD"), ID).get("webhook-signature");

        assertThat(both.split(" ")).hasSize(2).contains(SIGNATURE);
    }

    /** Else the end of an id could count as a time, and a time as the beginning of a body. */
    @Test
    void signedIdHasNoDot() {
        assertThat(signed(List.of("env:OLD"), "a.1 ä").get("webhook-id")).isEqualTo("a%2E1%20%C3%A4");
    }

    @ParameterizedTest
    @ValueSource(strings = {"env:NONE", "file:/nowhere/key", "env:SHORT", "env:PLAIN"})
    void whatIsNoKeyIsRefusedWithoutShowingIt(String place) {
        assertThatThrownBy(() -> signed(List.of(place), ID))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("tandem.queues.orders.http.signing-keys[0]")
                .hasMessageContaining("the key is in " + place)
                .hasMessageNotContaining("secret");
    }

    private static Map<String, String> signed(List<String> places, String id) {
        Map<String, String> environment =
                Map.of("OLD", KEY, "NEW", "whsec_" + "A".repeat(44), "SHORT", "whsec_secret", "PLAIN", "my secret");
        WebhookSigner signer =
                WebhookSigner.of("tandem.queues.orders.http.signing-keys", places, environment::get, CLOCK);
        Map<String, String> headers = new TreeMap<>();
        byte[] body = BODY.getBytes(StandardCharsets.UTF_8);
        signer.sign(new PostedTask(id, "orders", "ship", null, 1, 1, Map.of(), Map.of(), body), body, headers);
        return headers;
    }
}
