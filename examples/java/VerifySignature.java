import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Checks the signature of a task that Tandem has posted. Needs only Java 17.
 *
 * <p>{@code WEBHOOK_KEY=whsec_... java VerifySignature.java ID TIMESTAMP SIGNATURE < BODY}
 */
public class VerifySignature {

    private static final long TOLERANCE_SECONDS = 300;

    /** Takes the key, the three headers and the bytes of the body, before anything has parsed them. */
    static boolean isValid(String key, String id, String timestamp, String signatures, byte[] body)
            throws GeneralSecurityException {
        long now = Instant.now().getEpochSecond();
        if (!timestamp.matches("\\d{1,12}") || Math.abs(now - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) {
            return false; // A copy of an old request.
        }
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(key.substring("whsec_".length())), "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
        boolean valid = false;
        for (String each : signatures.split(" ")) { // While keys are changed there are two. One has to fit.
            valid |= MessageDigest.isEqual(expected, each.getBytes(StandardCharsets.UTF_8));
        }
        return valid;
    }

    public static void main(String[] args) throws IOException, GeneralSecurityException {
        boolean valid = isValid(System.getenv("WEBHOOK_KEY"), args[0], args[1], args[2], System.in.readAllBytes());
        System.out.println(valid ? "valid" : "invalid");
    }
}
