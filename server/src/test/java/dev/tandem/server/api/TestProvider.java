package dev.tandem.server.api;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A small OpenID provider in this process: discovery, authorization with a challenge, tokens that are signed with a key of its own, and
 * the keys. It logs everybody in as {@link #user}, without asking.
 */
final class TestProvider implements AutoCloseable {

    static final String CLIENT = "tandem";
    static final String SECRET = "the secret of the client";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** What was asked for with a code. */
    private record Grant(String nonce, String challenge) {}

    private final HttpServer server;
    private final RSAKey key;
    private final Map<String, Grant> codes = new ConcurrentHashMap<>();

    /** Whom it logs in. */
    volatile String user = "ada";

    volatile Map<String, Object> claims = Map.of();

    /** What a wrong provider would sign with; null for its own key. */
    volatile @Nullable RSAKey otherKey;

    /** For whom tokens are. */
    volatile String audience = CLIENT;

    /** The nonce of tokens; null for the one that was asked for. */
    volatile @Nullable String otherNonce;

    TestProvider() throws IOException, JOSEException {
        key = newKey();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/.well-known/openid-configuration", exchange -> json(exchange, discovery()));
        server.createContext("/keys", exchange -> json(exchange, new JWKSet(key.toPublicJWK()).toJSONObject()));
        server.createContext("/authorize", this::authorize);
        server.createContext("/token", this::token);
        server.start();
    }

    static RSAKey newKey() throws JOSEException {
        return new RSAKeyGenerator(2048).keyID("k").generate();
    }

    String issuer() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private Map<String, Object> discovery() {
        return Map.of(
                "issuer", issuer(),
                "authorization_endpoint", issuer() + "/authorize",
                "token_endpoint", issuer() + "/token",
                "jwks_uri", issuer() + "/keys",
                "response_types_supported", List.of("code"),
                "subject_types_supported", List.of("public"),
                "id_token_signing_alg_values_supported", List.of("RS256"));
    }

    private void authorize(HttpExchange exchange) throws IOException {
        Map<String, String> asked = fields(exchange.getRequestURI().getRawQuery());
        String code = UUID.randomUUID().toString();
        codes.put(code, new Grant(asked.getOrDefault("nonce", ""), asked.getOrDefault("code_challenge", "")));
        exchange.getResponseHeaders()
                .set("Location", asked.get("redirect_uri") + "?code=" + code + "&state=" + asked.get("state"));
        exchange.sendResponseHeaders(302, -1);
        exchange.close();
    }

    private void token(HttpExchange exchange) throws IOException {
        Map<String, String> asked =
                fields(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        Grant grant = codes.remove(asked.getOrDefault("code", ""));
        String client = "Basic "
                + Base64.getEncoder()
                        .encodeToString((CLIENT + ":" + SECRET.replace(" ", "+")).getBytes(StandardCharsets.UTF_8));
        boolean isGood = grant != null
                && client.equals(exchange.getRequestHeaders().getFirst("Authorization"))
                && grant.challenge().equals(challenge(asked.getOrDefault("code_verifier", "")));
        if (!isGood) {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            byte[] refusal = "{\"error\":\"invalid_grant\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(400, refusal.length);
            exchange.getResponseBody().write(refusal);
            exchange.close();
            return;
        }
        json(
                exchange,
                Map.of("access_token", "opaque", "token_type", "Bearer", "expires_in", 60, "id_token", idToken(grant)));
    }

    private String idToken(Grant grant) {
        Instant now = Instant.now();
        String nonce = otherNonce;
        JWTClaimsSet.Builder token = new JWTClaimsSet.Builder()
                .issuer(issuer())
                .subject("subject of " + user)
                .audience(audience)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plusSeconds(60)))
                .claim("nonce", nonce == null ? grant.nonce() : nonce)
                .claim("preferred_username", user);
        claims.forEach(token::claim);
        RSAKey signer = otherKey;
        try {
            SignedJWT signed = new SignedJWT(
                    new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("k").build(), token.build());
            signed.sign(new RSASSASigner(signer == null ? key : signer));
            return signed.serialize();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String challenge(String verifier) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, String> fields(String form) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String field : form.split("&")) {
            String[] parts = field.split("=", 2);
            fields.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return fields;
    }

    private static void json(HttpExchange exchange, Map<String, Object> answer) throws IOException {
        byte[] bytes = JSON.writeValueAsBytes(answer);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
