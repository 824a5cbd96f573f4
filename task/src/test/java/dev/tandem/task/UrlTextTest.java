package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UrlTextTest {

    @ParameterizedTest
    @ValueSource(strings = {"pay-1", "a b+c", "o/7", "100%", "?x=1&y#z", "订单", "@3/0:17", "a.b", "...", "\u0000\n"})
    void aPartAndAValueAreReadAsTheyWere(String text) {
        URI uri = URI.create("http://host/" + UrlText.pathSegment(text) + "?of=" + UrlText.queryValue(text));

        assertThat(uri.getRawPath().substring(1)).doesNotContain("/");
        assertThat(uri.getPath()).isEqualTo("/" + text);
        assertThat(uri.getQuery()).isEqualTo("of=" + text);
    }

    @Test
    void loneDotsAreNoStepsWithinThePath() {
        assertThat(UrlText.pathSegment(".")).isEqualTo("%2E");
        assertThat(UrlText.pathSegment("..")).isEqualTo("%2E%2E");
    }
}
