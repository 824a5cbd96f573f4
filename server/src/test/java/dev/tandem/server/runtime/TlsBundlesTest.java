package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.runtime.settings.SettingsException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

class TlsBundlesTest {

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void aBundleOfTheSettingsIsFound() {
        assertThat(bundles(Map.of("spring.ssl.bundle.jks.shop.options.enabled-protocols", "TLSv1.3"))
                        .context("shop")
                        .getProtocol())
                .isEqualTo("TLS");
    }

    @Test
    void aMissingBundleIsNamed() {
        assertThatThrownBy(() -> bundles(Map.of()).context("shop"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("http.ssl-bundle is 'shop'")
                .hasMessageContaining("set spring.ssl.bundle.pem.shop");
        assertThatThrownBy(() -> new TlsBundles(null).context("shop")).isInstanceOf(SettingsException.class);
    }

    @Test
    void aBundleThatCannotBeReadIsNamedWithTheReason() {
        TlsBundles bundles = bundles(Map.of("spring.ssl.bundle.pem.shop.truststore.certificate", "file:/nowhere.pem"));

        assertThatThrownBy(() -> bundles.context("shop"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("the bundle cannot be read")
                .hasMessageContaining("nowhere.pem");
    }

    private TlsBundles bundles(Map<String, Object> properties) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.register(SslAutoConfiguration.class);
        context.refresh();
        return new TlsBundles(context.getBean(SslBundles.class));
    }
}
