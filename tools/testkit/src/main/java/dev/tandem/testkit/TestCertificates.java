package dev.tandem.testkit;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority of one test, whose certificates and keys are PEM files in a folder of that test. */
public final class TestCertificates {

    private static final Duration VALID = Duration.ofDays(1);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path folder;
    private final X500Name name;
    private final KeyPair keys;
    private final Path ca;

    /** A certificate with its key, both as PEM files. The key is in PKCS #8. */
    public record Issued(Path certificate, Path key) {}

    private TestCertificates(Path folder, String name) {
        this.folder = folder;
        this.name = new X500Name("CN=" + name);
        keys = keys();
        ca = write(name + ".pem", pem(certificate(this.name, keys, true)));
    }

    /** Makes an authority. @param name the beginning of its files, different for each in one folder */
    public static TestCertificates authority(Path folder, String name) {
        return new TestCertificates(folder, name);
    }

    /** Returns the certificate of the authority. */
    public Path ca() {
        return ca;
    }

    /** Issues a certificate of this machine (localhost and 127.0.0.1), or replaces an earlier one of that name. */
    public Issued issue(String subject) {
        KeyPair own = keys();
        Path key = write(subject + "-key.pem", pem(pkcs8(own)));
        return new Issued(write(subject + ".pem", pem(certificate(new X500Name("CN=" + subject), own, false))), key);
    }

    private Object certificate(X500Name subject, KeyPair own, boolean authority) {
        Instant now = Instant.now();
        try {
            X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                            name,
                            new BigInteger(100, RANDOM),
                            Date.from(now.minus(VALID)),
                            Date.from(now.plus(VALID)),
                            subject,
                            own.getPublic())
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
            if (!authority) {
                GeneralName[] names = {
                    new GeneralName(GeneralName.dNSName, "localhost"),
                    new GeneralName(GeneralName.iPAddress, "127.0.0.1")
                };
                builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
            }
            return builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate()));
        } catch (OperatorCreationException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object pkcs8(KeyPair pair) {
        try {
            return new JcaPKCS8Generator(pair.getPrivate(), null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static KeyPair keys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(Object what) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(what);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** Writes the file at once, since who uses it may read it at any time. */
    private Path write(String file, String text) {
        try {
            Path target = folder.resolve(file);
            Path whole = Files.writeString(folder.resolve(file + ".new"), text);
            return Files.move(whole, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
