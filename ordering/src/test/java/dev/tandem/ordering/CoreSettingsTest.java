package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CoreSettingsTest {

    @Test
    void theBuilderStartsFromTheDefaults() {
        assertThat(CoreSettings.builder().build()).isEqualTo(CoreSettings.DEFAULTS);
        assertThat(CoreSettings.DEFAULTS)
                .isEqualTo(new CoreSettings(10_000, 2_500, 3_000, 500, 256, 4, 50, 500, 1_000, 128, 32, 10));
    }

    @Test
    void aLeaseIsRenewedFourTimes() {
        assertThat(CoreSettings.builder().leaseMillis(20_000).build().renewMillis())
                .isEqualTo(5_000);
    }

    static Stream<Arguments> outOfRange() {
        return Stream.of(
                Arguments.of(CoreSettings.builder().leaseMillis(0), "leaseMillis is 0"),
                Arguments.of(CoreSettings.builder().renewMillis(0), "renewMillis is 0"),
                Arguments.of(CoreSettings.builder().renewMillis(6_000), "at least twice its renewal of 6000 ms"),
                Arguments.of(CoreSettings.builder().horizonMillis(-1), "horizonMillis is -1"),
                Arguments.of(CoreSettings.builder().probeMillis(0), "probeMillis is 0"),
                Arguments.of(CoreSettings.builder().batchSize(0), "batch size is 0"),
                Arguments.of(CoreSettings.builder().batchSize(1_001), "batch size is 1001"),
                Arguments.of(CoreSettings.builder().batchesInFlight(0), "batchesInFlight is 0"),
                Arguments.of(CoreSettings.builder().relaysAhead(0), "relaysAhead is 0"),
                Arguments.of(CoreSettings.builder().rowTasks(0), "rowTasks is 0"),
                Arguments.of(CoreSettings.builder().rowMillis(-1), "rowMillis is -1"),
                Arguments.of(CoreSettings.builder().commitMillis(-1), "commitMillis is -1"),
                Arguments.of(CoreSettings.builder().retryMillis(0), "retryMillis is 0"));
    }

    @ParameterizedTest
    @MethodSource("outOfRange")
    void aNumberOutOfRangeIsNamed(CoreSettings.Builder builder, String named) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named);
    }
}
