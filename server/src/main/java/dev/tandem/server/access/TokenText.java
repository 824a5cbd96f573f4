package dev.tandem.server.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a token: {@code tandem_<id>_<secret>}. The beginning lets scanners for leaked secrets find it. The secret is
 * 256 random bits, so that one round of SHA-256 is enough to keep it: nobody can try them all.
 *
 * @param id 12 characters
 */
public record TokenText(String id, String secret) {

    private static final Pattern FORM = Pattern.compile("tandem_([A-Za-z0-9]{12})_([A-Za-z0-9_-]{43})");
    private static final String LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
    private static final int ID_LENGTH = 12;
    private static final int SECRET_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Makes a token that nobody has yet. */
    public static TokenText fresh() {
        StringBuilder id = new StringBuilder();
        for (int i = 0; i < ID_LENGTH; i++) {
            id.append(LETTERS.charAt(RANDOM.nextInt(LETTERS.length())));
        }
        byte[] secret = new byte[SECRET_BYTES];
        RANDOM.nextBytes(secret);
        return new TokenText(
                id.toString(), Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
    }

    /** Reads what a client sent; empty if it is no token. */
    public static Optional<TokenText> parse(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches() ? Optional.of(new TokenText(form.group(1), form.group(2))) : Optional.empty();
    }

    /** Returns what is kept of the secret. */
    public byte[] hash() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether this is the token that was kept. Takes the same time for each wrong secret. */
    public boolean matches(AccessToken kept) {
        return MessageDigest.isEqual(hash(), kept.hash());
    }

    /** Returns the text for its owner. */
    public String text() {
        return "tandem_" + id + "_" + secret;
    }

    /** Leaves out the secret. */
    @Override
    public String toString() {
        return "TokenText[" + id + "]";
    }
}
