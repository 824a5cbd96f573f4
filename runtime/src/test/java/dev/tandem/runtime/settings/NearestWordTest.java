package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestWordTest {

    private static final List<String> ALLOWED = List.of("key", "none", "log", "http", "kafka", "rabbit", "exponential");

    @ParameterizedTest
    @CsvSource({
        "kye,key",
        "kei,key",
        "ky,key",
        "keys,key",
        "lgo,log",
        "htpt,http",
        "https,http",
        "KAFKA,kafka",
        " kafka ,kafka",
        "akfka,kafka",
        "kakfa,kafka",
        "rabbitmq,rabbit",
        "rabit,rabbit",
        "rbabti,rabbit",
        "exponent,exponential"
    })
    void theMeantWordIsFound(String given, String meant) {
        assertThat(NearestWord.find(given, ALLOWED)).contains(meant);
        assertThat(NearestWord.advice(given, ALLOWED)).isEqualTo("; did you mean " + meant + "?");
    }

    /** The same letters in another order are not always a slip. */
    @ParameterizedTest
    @CsvSource({"yek", "x", "tibbar", "gol", "redis", "''"})
    void nothingIsGuessedForAWordThatIsLikeNone(String given) {
        assertThat(NearestWord.find(given, ALLOWED)).isEmpty();
        assertThat(NearestWord.advice(given, ALLOWED)).isEmpty();
    }

    @Test
    void theNearestOfSeveralIsTaken() {
        assertThat(NearestWord.find("maik", List.of("make", "mail", "main-queue")))
                .contains("mail");
    }

    @Test
    void underscoresAndHyphensAreAlike() {
        assertThat(NearestWord.find("Dead_Letter", List.of("dead-letter"))).contains("dead-letter");
    }

    @Test
    void nothingIsGuessedForNothing() {
        assertThat(NearestWord.advice(null, ALLOWED)).isEmpty();
    }
}
