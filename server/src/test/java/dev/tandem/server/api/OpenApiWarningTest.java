package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class OpenApiWarningTest {

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1"})
    void loopbackAddressIsNotOpen(String address) {
        assertThat(OpenApiWarning.isOpen(address)).isFalse();
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.7"})
    void everyOtherAddressIsOpen(String address) {
        assertThat(OpenApiWarning.isOpen(address)).isTrue();
    }
}
