package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestNameTest {

    private static final List<String> KNOWN = List.of("ship", "shipment.cancel", "refund", "x");

    @Test
    void findsANameThatDiffersByAFewLetters() {
        assertThat(NearestName.of("shp", KNOWN)).contains("ship");
        assertThat(NearestName.of("Refund", KNOWN)).contains("refund");
        assertThat(NearestName.of("shipment-cancle", KNOWN)).contains("shipment.cancel");
    }

    @Test
    void upperAndLowerCaseCountAlike() {
        assertThat(NearestName.of("SHIP", KNOWN)).contains("ship");
        assertThat(NearestName.of("ship", List.of("SHIPMENT"))).isEmpty();
    }

    @Test
    void findsNothingWhereNothingIsSimilar() {
        assertThat(NearestName.of("invoice", KNOWN)).isEmpty();
        assertThat(NearestName.of("y", KNOWN)).isEmpty();
        assertThat(NearestName.of("s".repeat(101), KNOWN)).isEmpty();
    }
}
