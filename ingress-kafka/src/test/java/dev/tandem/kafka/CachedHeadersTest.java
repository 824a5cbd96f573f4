package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class CachedHeadersTest {

    private final CachedHeaders headers = new CachedHeaders("tandem-type");

    @Test
    void equalValuesShareAHeader() {
        assertThat(headers.with("ship")).isSameAs(headers.with("ship"));
        assertThat(headers.with("é").key()).isEqualTo("tandem-type");
        assertThat(headers.with("é").value()).isEqualTo("é".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void longValuesAreNotKept() {
        String value = "v".repeat(CachedHeaders.MAX_LENGTH + 1);

        assertThat(headers.with(value).value()).hasSize(value.length());
        assertThat(headers.size()).isZero();
    }

    @Test
    void valuesWithoutEndAreNotKept() {
        for (int i = 0; i < 3 * CachedHeaders.MAX; i++) {
            String value = "type-" + i;
            assertThat(new String(headers.with(value).value(), StandardCharsets.UTF_8))
                    .isEqualTo(value);
        }
        assertThat(headers.size()).isEqualTo(CachedHeaders.MAX);
    }
}
