package dev.tandem.server.masking;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.PayloadMask;
import dev.tandem.runtime.masking.JsonMask;
import dev.tandem.runtime.settings.QueueSettings;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What pointers name is replaced wherever it stands, and nothing else is changed. */
class JsonMaskTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            /a            | {"a":1,"b":2}                          | {"a":"***","b":2}
            /a            | {"a":{"deep":[1]},"b":2}               | {"a":"***","b":2}
            /a            | {"a":1,"a":2,"b":{"a":3}}              | {"a":"***","a":"***","b":{"a":3}}
            /a/b          | {"a":{"b":1,"c":2},"b":3}              | {"a":{"b":"***","c":2},"b":3}
            /a/b          | {"a":[{"b":1}],"b":3}                  | {"a":[{"b":1}],"b":3}
            /*/mail       | {"x":{"mail":1},"y":{"mail":2,"z":3}}  | {"x":{"mail":"***"},"y":{"mail":"***","z":3}}
            /list/*/mail  | {"list":[{"mail":1},{"mail":2},3]}     | {"list":[{"mail":"***"},{"mail":"***"},3]}
            /list/1       | {"list":[0,[5],{"1":6}]}               | {"list":[0,"***",{"1":6}]}
            /1/0          | [0,[5,6]]                              | [0,["***",6]]
            /*            | [1,{"a":2}]                            | ["***","***"]
            /a~1b/c~0d    | {"a/b":{"c~d":1}}                      | {"a/b":{"c~d":"***"}}
            /             | {"":1,"b":2}                           | {"":"***","b":2}
            /a            | {"\u0061":1}                          | {"a":"***"}
            /a            | {"b":1.50,"c":1e400,"d":null,"e":true} | {"b":1.50,"c":1e400,"d":null,"e":true}
            /a            | {}                                     | {}
            """)
    void replacesWhatAPointerNames(String pointer, String payload, String masked) {
        assertThat(new JsonMask(List.of(pointer)).apply(payload)).isEqualTo(masked);
    }

    @Test
    void severalPointersCountTogether() {
        assertThat(
                        new JsonMask(List.of("/card/number", "/card/*/code", "/customers/*/email"))
                                .apply(
                                        "{\"card\":{\"number\":1,\"x\":{\"code\":2}},\"customers\":[{\"email\":\"e\",\"id\":7}]}"))
                .isEqualTo(
                        "{\"card\":{\"number\":\"***\",\"x\":{\"code\":\"***\"}},\"customers\":[{\"email\":\"***\",\"id\":7}]}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "text", "4111", "\"4111\"", "{\"a\":1", "{\"a\":1} 4111", "{\"b\":2}{\"a\":1}", "{'a':1}"})
    void whatIsNoObjectAndNoArrayIsNotKnown(String payload) {
        assertThat(new JsonMask(List.of("/a")).apply(payload)).isNull();
    }

    @Test
    void whatIsNestedTooDeepIsNotKnown() {
        assertThat(new JsonMask(List.of("/a")).apply("[".repeat(100_000))).isNull();
    }

    @Test
    void aMaskInJavaThatFailsHidesThePayload() {
        PayloadMask broken = (queue, type, payload) -> {
            throw new IllegalStateException("secret");
        };
        PayloadMasks.Shown shown =
                new PayloadMasks(Map.<String, QueueSettings>of(), broken).show("q", null, bytes("secret"));

        assertThat(new String(shown.bytes(), StandardCharsets.UTF_8)).isEqualTo("***");
        assertThat(shown.masked()).isTrue();
    }

    @Test
    void withoutAMaskThePayloadIsShownAsItIs() {
        byte[] payload = bytes("4111");

        assertThat(new PayloadMasks(Map.of(), null).show("q", null, payload).bytes())
                .isSameAs(payload);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
