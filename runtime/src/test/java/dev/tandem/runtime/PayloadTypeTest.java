package dev.tandem.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.UnreadablePayloadException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
}
