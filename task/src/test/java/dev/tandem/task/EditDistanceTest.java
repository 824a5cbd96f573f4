package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EditDistanceTest {

    @ParameterizedTest
    @CsvSource({
        "'','',0",
        "orders,orders,0",
        "'',abc,3",
        "oders,orders,1",
        "kitten,sitting,3",
        "ab,ba,1",
        "passwrod,password,1",
        "abc,cba,2",
        "ca,abc,3"
    })
    void lettersThatDifferAreCounted(String one, String other, int distance) {
        assertThat(EditDistance.between(one, other)).isEqualTo(distance);
        assertThat(EditDistance.between(other, one)).isEqualTo(distance);
    }
}
