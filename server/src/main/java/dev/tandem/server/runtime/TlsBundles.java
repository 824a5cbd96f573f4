package dev.tandem.server.runtime;

import dev.tandem.runtime.settings.SettingsException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundles;

/** The certificates under {@code spring.ssl.bundle}, for the hosted handlers. */
final class TlsBundles {

    private static final String SETTING = "http.ssl-bundle";

    private final @Nullable SslBundles bundles;

    /** @param bundles null if there are none */
    TlsBundles(@Nullable SslBundles bundles) {
        this.bundles = bundles;
    }

    /** Returns the certificates of a bundle. @throws SettingsException if there is none, or it cannot be read */
    SSLContext context(String name) {
        try {
            if (bundles != null) {
                return bundles.getBundle(name).createSslContext();
            }
        } catch (NoSuchSslBundleException e) {
            // As without any.
        } catch (RuntimeException e) {
            throw SettingsException.of(SETTING, name, "the bundle cannot be read: " + reason(e));
        }
        throw SettingsException.of(
                SETTING, name, "there is no such bundle: set spring.ssl.bundle.pem." + name + ", or name another one");
    }

    private static String reason(Throwable failure) {
        Throwable last = failure;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        return String.valueOf(last.getMessage());
    }
}
