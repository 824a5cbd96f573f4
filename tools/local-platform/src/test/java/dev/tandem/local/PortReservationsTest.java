package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PortReservationsTest {

    @Test
    void reservesAPortOnlyOnce() {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            ports.add(PortReservations.reserve());
        }
        System.gc(); // would collect locks that nobody refers to
        for (int i = 0; i < 300; i++) {
            ports.add(PortReservations.reserve());
        }

        assertThat(ports).doesNotHaveDuplicates();
    }
}
