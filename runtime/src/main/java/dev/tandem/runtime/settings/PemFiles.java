package dev.tandem.runtime.settings;

import dev.tandem.task.FailureText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.pem.PemContent;

/**
 * Reads the certificates and keys of connections to a broker or to Redis. Reads the files at each call, so that they can
 * be exchanged while the program runs.
 */
public final class PemFiles {

    private static final Set<String> KINDS = Set.of("RSA", "EC", "EdDSA");

    private static final char[] NO_PASSWORD = new char[0];

    private final String setting;
    private final TandemSettings.TlsSettings files;

    /** @param setting the section of the files, such as {@code tandem.redis.tls} */
    public PemFiles(String setting, TandemSettings.TlsSettings files) {
        this.setting = setting;
        this.files = files;
    }

    /**
     * Returns what is trusted; null if that is up to the JVM.
     *
     * @throws IllegalStateException that names the setting, the file and the remedy
     */
    public @Nullable TrustManagerFactory trust() {
        if (files.caFile().isEmpty()) {
            return null;
        }
        try {
            KeyStore store = empty();
            int number = 0;
            for (Certificate each : certificates("ca-file", files.caFile())) {
                store.setCertificateEntry("ca" + number++, each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return trust;
        } catch (GeneralSecurityException | IOException e) {
            throw problem("ca-file", files.caFile(), FailureText.of(e));
        }
    }

    /**
     * Returns the certificate that is shown to the other side, with its key; null if there is none.
     *
     * @throws IllegalStateException that names the setting, the file and the remedy
     */
    public @Nullable KeyManagerFactory keys() {
        if (files.certificateFile().isEmpty()) {
            return null;
        }
        List<X509Certificate> chain = certificates("certificate-file", files.certificateFile());
        PrivateKey key = key(files.keyFile());
        try {
            if (!belong(key, chain.get(0).getPublicKey())) {
                throw problem(
                        "key-file",
                        files.keyFile(),
                        "it is not the key of the certificate in " + setting + ".certificate-file");
            }
            KeyStore store = empty();
            store.setKeyEntry("key", key, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            return keys;
        } catch (GeneralSecurityException | IOException e) {
            throw problem("key-file", files.keyFile(), FailureText.of(e));
        }
    }

    /**
     * Returns a context with both.
     *
     * @throws IllegalStateException that names the setting, the file and the remedy
     */
    public SSLContext context() {
        TrustManagerFactory trust = trust();
        KeyManagerFactory keys = keys();
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    keys == null ? null : keys.getKeyManagers(), trust == null ? null : trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The files under " + setting + " cannot be used: " + FailureText.of(e), e);
        }
    }

    private List<X509Certificate> certificates(String name, String file) {
        String text = text(name, file);
        try {
            List<X509Certificate> read = PemContent.of(text).getCertificates();
            if (!read.isEmpty()) {
                return read;
            }
        } catch (IllegalStateException e) {
            // The problem says what is expected.
        }
        throw problem(name, file, "it must have certificates in PEM (-----BEGIN CERTIFICATE-----)");
    }

    private PrivateKey key(String file) {
        String text = text("key-file", file);
        try {
            PrivateKey key = PemContent.of(text).getPrivateKey();
            if (key != null && KINDS.contains(key.getAlgorithm())) {
                return key;
            } else if (key != null) {
                throw problem("key-file", file, "its key must be RSA, EC or Ed25519");
            }
        } catch (PemException e) {
            throw e;
        } catch (IllegalStateException e) {
            // The problem says what is expected.
        }
        throw problem(
                "key-file",
                file,
                "it must have a key in PEM (-----BEGIN PRIVATE KEY-----) that is not encrypted, as openssl pkcs8 -topk8"
                        + " -nocrypt -in FILE makes it");
    }

    /** Tries the key, because a pair of which only one file was exchanged yet fails in odd ways otherwise. */
    private static boolean belong(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "Ed25519";
        };
        if (!key.getAlgorithm().equals(certified.getAlgorithm())) {
            return false;
        }
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(NO_BYTES);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        signature.update(NO_BYTES);
        return signature.verify(signed);
    }

    private static final byte[] NO_BYTES = new byte[0];

    private String text(String name, String file) {
        try {
            return Files.readString(Path.of(file), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw problem(name, file, "there is no such file");
        } catch (IOException e) {
            throw problem(name, file, "it cannot be read: " + FailureText.of(e));
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private IllegalStateException problem(String name, String file, String what) {
        return new PemException(setting + "." + name, file, what);
    }

    /** Says which file cannot be used. */
    static final class PemException extends IllegalStateException {

        final String setting;
        final String file;
        final String remedy;

        PemException(String setting, String file, String remedy) {
            super(setting + " is " + file + ": " + remedy);
            this.setting = setting;
            this.file = file;
            this.remedy = remedy;
        }
    }
}
