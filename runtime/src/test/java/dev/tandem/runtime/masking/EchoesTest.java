package dev.tandem.runtime.masking;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors do not repeat masked values, and payloads are looked into for that only. */
class EchoesTest {

    private final AtomicInteger asked = new AtomicInteger();

    private Echoes echoes(String payload) {
        return Echoes.of(List.of("/card/number"), () -> {
            asked.incrementAndGet();
            return payload.getBytes(StandardCharsets.UTF_8);
        });
    }

    @Test
    void aPayloadIsLookedIntoOnceAndOnlyForAnError() {
        Echoes echoes = echoes("{\"card\": {\"number\": \"4111\"}}");

        assertThat(echoes.hide(null)).isNull();
        assertThat(echoes.result("{}")).isEqualTo("{}");
        assertThat(asked).hasValue(0);

        assertThat(echoes.hide("no such card: 4111")).isEqualTo("no such card: ***");
        assertThat(echoes.hide("4111 again")).isEqualTo("*** again");
        assertThat(asked).hasValue(1);
    }

    @Test
    void withoutPointersNothingIsLookedInto() {
        Echoes echoes = Echoes.of(List.of(), () -> {
            throw new IllegalStateException("asked");
        });

        assertThat(echoes.hide("4111")).isEqualTo("4111");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"card":{"number":{"a":[12.50,"x"],"b":true}},"other":{"card":{"number":7}}} | [12.50, x]
            [{"card":{"number":1}}]                                                    | []
            {"a":[[{"card":2}]],"card":{"x":[1],"number":"n"},"card":{"number":3}}     | [n, 3]
            """)
    void findsWhatPointersNameAndNothingElse(String payload, String found) {
        Set<String> hidden = new LinkedHashSet<>();

        assertThat(new JsonMask(List.of("/card/number")).find(payload, hidden)).isTrue();
        assertThat(hidden).hasToString(found);
    }

    @Test
    void aPayloadThatIsBrokenBehindTheValueIsNotKnown() {
        assertThat(echoes("{\"card\": {\"number\": 4111}, \"b\": [{\"c\": 1]}").hide("of 4112"))
                .isEqualTo("***");
        assertThat(echoes("[".repeat(100_000)).hide("of 4112")).isEqualTo("***");
    }
}
