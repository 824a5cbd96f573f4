package dev.tandem.rabbit;

import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalMode;
import dev.tandem.testkit.Brokers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A RabbitMQ beside the shared one, for tests that restart their broker or need users with few rights. A start takes
 * seconds, so these tests share it, and run one after another: {@code @ResourceLock(OwnRabbit.LOCK)}. It ends with this
 * JVM. The password of each user is its name.
 */
final class OwnRabbit {

    /** The name of the lock on this broker. */
    static final String LOCK = "the RabbitMQ that tests restart";

    private static @Nullable LocalAmqp started;

    private OwnRabbit() {}

    /** Returns the broker, or skips the test if there is none. */
    static synchronized LocalAmqp get() {
        LocalAmqp found = started;
        if (found == null) {
            found = started = Brokers.orSkip(OwnRabbit::start);
        }
        return found;
    }

    private static LocalAmqp start() {
        return LocalAmqp.builder()
                .mode(LocalMode.configured().withoutDocker())
                .rabbitOnly()
                .setting("load_definitions", write(definitions()).toString())
                .start();
    }

    /** Writes the file that RabbitMQ reads at each start. */
    private static Path write(String definitions) {
        try {
            Path file = Files.writeString(Files.createTempFile("users", ".json"), definitions);
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String definitions() {
        return """
                {
                  "vhosts": [{"name": "/"}],
                  "users": [%s, %s, %s, %s, %s, %s],
                  "permissions": [
                    {"user": "guest", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"},
                    {"user": "least", "vhost": "/", "configure": "^orders-\\\\w+(-by-key)?(\\\\..+)?$", "write": "^orders-\\\\w+(-by-key)?(\\\\..+)?$", "read": "^orders-\\\\w+(-by-key)?(\\\\..+)?$"},
                    {"user": "publisher", "vhost": "/", "configure": "^$", "write": "^orders-\\\\w+\\\\.in$", "read": "^$"},
                    {"user": "binder", "vhost": "/", "configure": "^$", "write": "^orders-\\\\w+(-by-key)?(\\\\..+)?$", "read": "^orders-\\\\w+(-by-key)?(\\\\..+)?$"},
                    {"user": "reader", "vhost": "/", "configure": "^$", "write": ".*", "read": ".*"},
                    {"user": "ringer", "vhost": "/", "configure": "^orders-\\\\w+\\\\.((routing-)?keys\\\\.ring|ring-lock)$", "write": ".*", "read": ".*"}
                  ]
                }
                """.formatted(
                user("guest"), user("reader"), user("ringer"), user("least"), user("publisher"), user("binder"));
    }

    /**
     * Defines a user whose password is its name, hashed as RabbitMQ does: the salt, then SHA-256 of salt and password.
     */
    private static String user(String name) {
        byte[] salt = {1, 2, 3, 4};
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(salt);
            byte[] hash = digest.digest(name.getBytes(StandardCharsets.UTF_8));
            byte[] salted = new byte[salt.length + hash.length];
            System.arraycopy(salt, 0, salted, 0, salt.length);
            System.arraycopy(hash, 0, salted, salt.length, hash.length);
            return """
                    {"name": "%s", "password_hash": "%s", "hashing_algorithm": "rabbit_password_hashing_sha256", \
                    "tags": ""}""".formatted(name, Base64.getEncoder().encodeToString(salted));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
