package dev.tandem.server.cli;

import dev.tandem.task.FailureText;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** The authority that has signed a server's certificate, if that is not one that the JVM trusts. */
final class TrustedAuthority {

    private TrustedAuthority() {}

    /** Returns sockets that trust the certificates in a file, and no others. @throws CliException if it has none */
    static SSLSocketFactory sockets(String file) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate each : certificates(file)) {
                store.setCertificateEntry("ca" + number++, each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (NoSuchFileException e) {
            throw unusable(file, "there is no such file");
        } catch (GeneralSecurityException | IOException e) {
            throw unusable(file, FailureText.of(e));
        }
    }

    private static Collection<? extends Certificate> certificates(String file)
            throws GeneralSecurityException, IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(file)))) {
            Collection<? extends Certificate> read =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (read.isEmpty()) {
                throw unusable(file, "it must have certificates in PEM (-----BEGIN CERTIFICATE-----)");
            }
            return read;
        }
    }

    /** Returns what to do when a server was not trusted; empty if that is not why a request failed. */
    static String remedy(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        if (message.contains("PKIX path") || message.contains("certification path")) {
            return "Nobody who is trusted here has signed its certificate. Name the certificate of its authority with --ca"
                    + " FILE, or in TANDEM_CA";
        }
        if (message.contains("No subject alternative") || message.contains("No name matching")) {
            return "Its certificate is for other names. Use one of them with --server";
        }
        return message.contains("Unsupported or unrecognized SSL message") ? "It speaks no TLS. Use http://" : "";
    }

    private static CliException unusable(String file, String why) {
        return new CliException(CliException.USAGE, "--ca (or TANDEM_CA) is '" + file + "': " + why);
    }
}
