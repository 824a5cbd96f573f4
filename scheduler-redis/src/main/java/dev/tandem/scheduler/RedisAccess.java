package dev.tandem.scheduler;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * How Redis is logged in to, and what it is trusted by. Each connection asks anew, so a password or a certificate can be
 * exchanged while the store is used.
 *
 * @param username the user; null for the one of the address
 * @param password returns the password; null for the one of the address
 * @param trust returns what the certificate of Redis is checked against; null for what the JVM trusts
 * @param keys returns the certificate that Redis is shown, with its key; null for none
 */
public record RedisAccess(
        @Nullable String username,
        @Nullable Supplier<String> password,
        @Nullable Supplier<TrustManagerFactory> trust,
        @Nullable Supplier<KeyManagerFactory> keys) {

    /** Only what the address says. */
    public static final RedisAccess OF_ADDRESS = new RedisAccess(null, null, null, null);

    /** Has connections to an address log in. */
    void apply(RedisURI uri) {
        if (username == null && password == null) {
            return;
        }
        RedisCredentialsProvider ofAddress = uri.getCredentialsProvider();
        RedisCredentials given = ofAddress instanceof RedisCredentialsProvider.ImmediateRedisCredentialsProvider known
                ? known.resolveCredentialsNow()
                : null;
        String user = username != null ? username : given == null ? null : given.getUsername();
        char[] fixed = given == null ? null : given.getPassword();
        Supplier<String> secret = password;
        uri.setCredentialsProvider(RedisCredentialsProvider.from(
                () -> secret == null ? RedisCredentials.just(user, fixed) : RedisCredentials.just(user, secret.get())));
    }

    /** The options of connections with TLS. */
    SslOptions ssl() {
        return SslOptions.builder()
                .jdkSslProvider()
                .sslContext(context -> {
                    if (trust != null) {
                        context.trustManager(trust.get());
                    }
                    if (keys != null) {
                        context.keyManager(keys.get());
                    }
                })
                .build();
    }

    /** Leaves out everything that may be secret. */
    @Override
    public String toString() {
        return "RedisAccess[username=" + username + "]";
    }
}
