package dev.tandem.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.UnreadablePayloadException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

class PayloadTypeTest {

    record Ship(String order, int items) {}

    private static <T> T read(Type type, String payload) {
        JsonMapper json = JsonMapper.builder().build();
        return new PayloadType<T>(json, json.constructType(type)).read(payload.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void recordsAndGenericsAreReadFromJson() {
        Ship ship = read(Ship.class, "{\"order\":\"o-7\",\"items\":2}");
        List<Ship> ships = read(new TypeReference<List<Ship>>() {}.getType(), "[{\"order\":\"o-7\",\"items\":2}]");

        assertThat(ship).isEqualTo(new Ship("o-7", 2));
        assertThat(ships).containsExactly(new Ship("o-7", 2));
    }

    @Test
    void bytesAndTextAreReadAsTheyAre() {
        assertThat(PayloadTypeTest.<String>read(String.class, "grüße \"x\"")).isEqualTo("grüße \"x\"");
        assertThat(PayloadTypeTest.<byte[]>read(byte[].class, "{")).containsExactly('{');
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "null", "[]", "{\"order\":\"o-7\",\"items\":\"many\"}"})
    void anythingElseIsAFinalError(String payload) {
        assertThatThrownBy(() -> read(Ship.class, payload))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessageStartingWith(
                        "Cannot read the payload of " + payload.length() + " bytes as " + Ship.class.getName());
    }

    record Line(String article, int price) {}

    record Order(Ship ship, List<Line> lines, Map<String, Line> notes) {}

    /** The first line of a message is logged, so it has names of fields, and nothing that the payload contains. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "^^ | it is empty",
                "null | it is null",
                "{\"ship\": secret} | it is not JSON, see line 1, column",
                "[\"secret\"] | it does not fit Order",
                "{\"ship\":{\"items\":\"secret\"}} | 'ship.items' does not fit int",
                "{\"lines\":[{},{\"price\":\"secret\"}]} | 'lines[1].price' does not fit int",
                "{\"notes\":{\"secret\":{\"price\":\"x\"}}} | 'notes[a key].price' does not fit int",
            })
    void theFirstLineSaysWhichFieldDoesNotFit(String payload, String reason) {
        assertThatThrownBy(() -> read(Order.class, payload))
                .isInstanceOf(UnreadablePayloadException.class)
                .extracting(thrown -> thrown.getMessage().lines().findFirst().orElseThrow())
                .asString()
                .startsWith("Cannot read the payload of " + payload.length() + " bytes as " + Order.class.getName()
                        + ": " + reason)
                .doesNotContain("secret");
    }
}
