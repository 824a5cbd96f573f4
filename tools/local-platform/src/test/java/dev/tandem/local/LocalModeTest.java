package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

class LocalModeTest {

    @Test
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void refusesAnUnknownMode() {
        System.setProperty("tandem.local", "cloud");
        try {
            assertThatThrownBy(LocalMode::configured)
                    .isInstanceOf(LocalException.class)
                    .hasMessageContaining("TANDEM_LOCAL=cloud")
                    .hasMessageContaining("embedded");
        } finally {
            System.clearProperty("tandem.local");
        }
    }
}
